// SPDX-License-Identifier: BSD-3-Clause
// Tests and points, and what is chosen of them. The choice lives in the address (#verdict=fail&text=calloc), so that a
// link shows the same view; an address without a choice shows everything.

const kKeys = ['verdict', 'clause', 'function', 'role', 'text', 'test', 'point'];
const kSelects = [['verdict', 'Verdict'], ['clause', 'Clause'], ['function', 'Function'], ['role', 'Called by']];
const kNotPass = 'not-pass';
const kNoFunction = '-';  // no fault fired in a call

const bearsOn = (point, clause) => list(clausesOf.get(text(point.test))).some((result) => text(result.clause) === clause);

function choice() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(kKeys.map((key) => [key, given.get(key) || '']));
}

const isChoice = () => kKeys.some((key) => choice()[key] !== '');

// Sets the address to a choice; drawLists follows it. Quietly: no step to go back to, and the page stays where it is, for
// whoever types into a filter looks at the lists already.
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
    (wanted.clause === '' || bearsOn(point, wanted.clause)) &&
    contains([point.point, point.test, point.reason, point.at, point.module], wanted.text);
}

const contains = (fields, words) =>
  words === '' || fields.some((field) => text(field).toLowerCase().includes(words.toLowerCase()));

// A test fits by what it says itself, or by one of the points that are shown.
function testFits(test, wanted, seen) {
  if (wanted.test !== '' && text(test.id) !== wanted.test) return false;
  if (wanted.clause !== '' && !list(test.clauses).some((result) => text(record(result).clause) === wanted.clause)) return false;
  if (seen.has(text(test.id))) return true;
  return wanted.point === '' && wanted.function === '' && wanted.role === '' &&
    fitsVerdict(text(test.verdict), wanted.verdict) && contains([test.id, test.what, test.reason], wanted.text);
}

// What a test says of its clauses, worst first. A clause that was broken at one point was kept at others: that goes
// without saying.
function concluded(test) {
  const results = list(test.clauses).map(record);
  const broken = new Set(results.filter((result) => result.verdict !== 'pass').map((result) => result.clause));
  return results.filter((result) => result.verdict !== 'pass' || !broken.has(result.clause)).sort(byVerdict);
}

function testRow(test) {
  const button = element('button', {type: 'button', class: 'open'}, text(test.id));
  const row = element('tr', {class: 'test'},
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
  const bearing = [...new Set(list(clausesOf.get(text(point.test))).map((result) => text(result.clause)))];
  return element('tr', {class: 'point'},
    element('td', {}, badge(point.verdict)),
    element('td', {}, element('details', {},
      element('summary', {class: 'mono'}, breakable(point.point)),
      element('div', {}, element('pre', {class: 'command', tabindex: '0'}, commandFor(point.point, point.module)),
        terms([['Accused', text(point.module)], ['Fault fired in', [where, text(point.at)].filter((word) => word).join(', near ')],
          ['Bears on', bearing.flatMap((clause) => [linkTo({clause}, {class: 'mono'}, clause), ' '])]]))),
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

// What an address names may be unknown here: it is shown as chosen all the same.
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
