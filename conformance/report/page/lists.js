// SPDX-License-Identifier: BSD-3-Clause
// Tests and points, and the filters on them. The choice is kept in the address (#verdict=fail&text=calloc), so that a
// link shows the same view; an address without a choice shows everything.

const kKeys = ['verdict', 'clause', 'function', 'role', 'text', 'test', 'point'];
const kSelects = [['verdict', 'Verdict'], ['clause', 'Clause'], ['function', 'Function'], ['role', 'Called by']];
const kNotPass = 'not-pass';
const kNoFunction = '-';  // no fault fired in a call

const isTestedAt = (clause, point) => list(clausesOf.get(text(point.test))).some((result) => text(result.clause) === clause);

function choice() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(kKeys.map((key) => [key, given.get(key) || '']));
}

const isChoice = () => kKeys.some((key) => choice()[key] !== '');

// Sets the address to a choice; drawLists follows it. Quietly: no step in the browser's history, no scrolling and no
// change of focus, because the user is typing into a filter.
let quietly = '';
const canonical = (fragment) => new URLSearchParams(fragment.slice(1)).toString();

function choose(chosen, quiet) {
  const address = '#' + new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== ''));
  quietly = quiet ? canonical(address) : '';
  if (quiet) location.replace(address);
  else location.hash = address;
}

const wasChosenQuietly = () => quietly !== '' && canonical(location.hash) === quietly;

const fitsVerdict = (verdict, wanted) => wanted === '' || (wanted === kNotPass ? verdict !== 'pass' : verdict === wanted);

function pointFits(point, wanted) {
  const name = text(point.function);
  return fitsVerdict(text(point.verdict), wanted.verdict) &&
    (wanted.function === '' || (wanted.function === kNoFunction ? name === '' : name === wanted.function)) &&
    (wanted.role === '' || text(point.role) === wanted.role) &&
    (wanted.test === '' || text(point.test) === wanted.test) &&
    (wanted.point === '' || text(point.point) === wanted.point) &&
    (wanted.clause === '' || isTestedAt(wanted.clause, point)) &&
    contains([point.point, point.test, point.reason, point.at, point.module], wanted.text);
}

const contains = (fields, words) =>
  words === '' || fields.some((field) => text(field).toLowerCase().includes(words.toLowerCase()));

// A test fits by its own fields, or by one of the points that are shown.
function testFits(test, wanted, seen) {
  if (wanted.test !== '' && text(test.id) !== wanted.test) return false;
  if (wanted.clause !== '' && !list(test.clauses).some((result) => text(record(result).clause) === wanted.clause)) return false;
  if (seen.has(text(test.id))) return true;
  return wanted.point === '' && wanted.function === '' && wanted.role === '' &&
    fitsVerdict(text(test.verdict), wanted.verdict) && contains([test.id, test.what, test.reason], wanted.text);
}

// A test's results on its clauses, worst first. The passes of a clause that was broken at another point are left out.
function concluded(test) {
  const results = list(test.clauses).map(record);
  const broken = new Set(results.filter((result) => result.verdict !== 'pass').map((result) => result.clause));
  return results.filter((result) => result.verdict !== 'pass' || !broken.has(result.clause)).sort(byVerdict);
}

function testRow(test) {
  const button = element('button', {type: 'button', class: 'open'}, text(test.id));
  const row = element('tr', {class: 'test', 'data-verdict': text(test.verdict)},
    element('td', {}, badge(test.verdict)),
    element('th', {scope: 'row'}, button),
    element('td', {}, text(test.what), reasonOf(test)),
    element('td', {class: 'number', 'data-label': 'points'}, text(test.points)),
    element('td', {class: 'number', 'data-label': 'took'}, duration(test.seconds)));
  return openable(row, button, 5, () => {
    const notes = list(test.notes);
    return [
      element('h4', {}, 'Clauses'),
      element('ul', {}, concluded(test).map((result) => element('li', {}, badge(result.verdict),
        linkTo({clause: text(result.clause)}, {class: 'mono'}, text(result.clause)),
        text(result.waived) ? element('span', {}, 'waived: ' + text(result.waived)) : '',
        text(result.reason) ? element('span', {class: 'soft'}, text(result.reason)) : '',
        text(result.module) ? element('span', {class: 'soft'}, 'by ' + text(result.module)) : ''))),
      notes.length === 0 ? '' : [element('h4', {}, 'Not covered'),
        element('ul', {}, notes.map((note) => element('li', {}, text(note))))],
      element('h4', {}, 'Points'),
      linkTo({test: text(test.id)}, {}, 'Show its ' + several(Number(test.points) || 0, 'point')),
    ];
  });
}

function pointRow(point) {
  const where = [text(point.function), text(point.role) && 'called by ' + text(point.role)].filter((word) => word).join(' ');
  const tested = [...new Set(list(clausesOf.get(text(point.test))).map((result) => text(result.clause)))];
  return element('tr', {class: 'point'},
    element('td', {}, badge(point.verdict)),
    element('td', {}, element('details', {},
      element('summary', {class: 'mono'}, breakable(point.point)),
      element('div', {}, element('pre', {class: 'command'}, commandFor(point.point, point.module)),
        terms([['Attributed to', text(point.module)], ['Fault fired in', [where, text(point.at)].filter((word) => word).join(', near ')],
          ['Clauses', tested.flatMap((clause) => [linkTo({clause}, {class: 'mono'}, clause), ' '])]]))),
      reasonOf(point)),
    element('td', {class: 'place'}, where),
    element('td', {class: 'place'}, linkTo({test: text(point.test)}, {}, breakable(point.test))),
    element('td', {class: 'number', 'data-label': 'took'}, duration(point.seconds)));
}

function fill(id, things, size, headings, row) {
  const host = document.getElementById(id);
  const body = element('tbody');
  const inside = things.length > 0 ? table({class: 'wraps'}, headings, body) : element('p', {class: 'empty'}, 'None.');
  host.replaceChildren(element('div', {class: 'card'}, inside));
  host.dataset.count = things.length;
  inChunks(host, body, things, size, row);
}

function drawLists() {
  const wanted = choice();
  const shown = points.filter((point) => pointFits(point, wanted)).sort(byVerdict);
  const seen = new Set(shown.map((point) => text(point.test)));
  const fitting = tests.filter((test) => testFits(test, wanted, seen)).sort(byVerdict);
  for (const [key] of kSelects) select(key, wanted[key]);
  const words = document.getElementById('filter-text');
  if (words.value !== wanted.text) words.value = wanted.text;
  drawChips(wanted);
  document.getElementById('shown').textContent =
    fitting.length + ' of ' + several(tests.length, 'test') + ', ' + shown.length + ' of ' + several(points.length, 'point');
  fill('tests', fitting, onPhone() ? 10 : 25, ['Verdict', 'Test', 'What it does', 'Points', 'Took'], testRow);
  fill('points', shown, onPhone() ? 25 : 100, ['Verdict', 'Point', 'Fault fired in', 'Test', 'Took'], pointRow);
}

// An address can name an unknown value: it is shown as chosen, too.
function select(key, value) {
  const box = document.getElementById('filter-' + key);
  if (value !== '' && ![...box.options].some((option) => option.value === value))
    box.append(element('option', {value}, value));
  box.value = value;
}

function drawChips(wanted) {
  const chip = (words, left) => {
    const button = element('button', {type: 'button', class: 'chip'}, words);
    button.addEventListener('click', () => choose(left));
    return button;
  };
  const single = ['test', 'point'].filter((key) => wanted[key] !== '')
    .map((key) => chip(key + ' ' + wanted[key] + ' \u00d7', {...wanted, [key]: ''}));
  document.querySelector('.chips').replaceChildren(...single, ...(isChoice() ? [chip('Show everything', {})] : []));
}

// For paper: the tests that did not pass in full, and the number of the others.
function drawFailed() {
  const quiet = ['unsupported', 'skipped', 'pass'];
  const failed = tests.filter((test) => !quiet.includes(text(test.verdict))).sort(byVerdict);
  const others = tally(tests).filter(([verdict]) => quiet.includes(verdict));
  const groups = new Map();  // of one verdict and reason
  for (const test of failed) {
    const key = JSON.stringify([text(test.verdict), text(test.reason)]);
    groups.set(key, [...(groups.get(key) || []), test]);
  }
  const rows = [...groups.values()].map((group) => element('tr', {}, element('td', {}, badge(group[0].verdict)),
    element('td', {}, text(group[0].reason)),
    element('td', {}, group.map((test, i) => [i > 0 ? ', ' : '', element('code', {}, breakable(test.id))]))));
  document.getElementById('failed').append(
    rows.length > 0 ? table({}, ['Verdict', 'Reason', 'Tests'], element('tbody', {}, rows)) : '',
    element('p', {}, 'Not listed: ' + (others.map(([verdict, number]) => number + ' ' + verdict).join(', ') || 'none')));
}

function makeFilters() {
  const form = document.getElementById('filters');
  const values = (pick) => [...new Set(points.map(pick).filter((value) => value !== ''))].sort();
  const options = {
    verdict: [...tally([...points, ...tests]).map(([verdict]) => verdict)],
    clause: clauses.map((clause) => text(clause.id)),
    function: values((point) => text(point.function)),
    role: values((point) => text(point.role)),
  };
  const extra = {verdict: [[kNotPass, 'all but pass']], function: [[kNoFunction, 'no fault in a call']]};
  for (const [key, label] of kSelects) {
    const box = element('select', {id: 'filter-' + key, name: key}, element('option', {}, 'any'));
    box.options[0].value = '';
    for (const [value, words] of extra[key] || []) box.append(element('option', {value}, words));
    for (const value of options[key]) box.append(element('option', {value}, value));
    form.append(element('label', {}, label, box));
  }
  const words = element('input', {id: 'filter-text', name: 'text', type: 'search', autocomplete: 'off', spellcheck: 'false'});
  form.append(element('label', {class: 'wide'}, 'Text', words), element('div', {class: 'chips'}));
  const changed = () => {
    const wanted = choice();
    for (const [key] of kSelects) wanted[key] = document.getElementById('filter-' + key).value;
    choose({...wanted, text: words.value}, true);
  };
  form.addEventListener('input', changed);
  form.addEventListener('submit', (event) => event.preventDefault());
}
