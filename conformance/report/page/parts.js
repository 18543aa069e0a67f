// SPDX-License-Identifier: BSD-3-Clause
// The parts of the page besides lists and picture: findings, waivers, clauses, kernel log, stack, footer.

function drawWaivers() {
  const waivers = list(report.waivers).map(record);
  document.getElementById('waivers').hidden = waivers.length === 0;
  const body = element('tbody', {}, waivers.map((waiver) => {
    const range = [text(waiver.from) && 'from ' + text(waiver.from), text(waiver.to) && 'to ' + text(waiver.to)];
    const of = [text(waiver.module), text(waiver.package), ...range].filter((word) => word).join(' ');
    return element('tr', {},
      element('td', {class: 'mono'}, breakable(waiver.clause || waiver.point)),
      element('td', {'data-label': 'of'}, of),
      element('td', {}, text(waiver.reason), element('span', {class: 'reason'}, text(waiver.link))),
      element('td', {'data-label': 'owner'}, text(waiver.owner)),
      element('td', {'data-label': 'until', class: 'number'}, text(waiver.expires)),
      element('td', {}, text(waiver.state)));
  }));
  bodyOf('waivers').append(element('div', {class: 'card'},
    table({class: 'wraps'}, ['Clause or point', 'Of', 'Reason', 'Owner', 'Until', 'State'], body)));
}

// The first digits of a hash, and the rest on demand.
function hash(value) {
  const whole = text(value);
  if (whole.length <= 16) return element('span', {class: 'mono'}, whole || 'none');
  return element('details', {class: 'hash'},
    element('summary', {title: whole}, whole.slice(0, 16) + '\u2026'), element('code', {}, whole));
}

function drawStack() {
  const body = element('tbody', {}, list(stack.modules).map(record).map((module) => element('tr', {},
    element('th', {scope: 'row'}, text(module.role)),
    element('td', {class: 'mono'}, breakable(module.path)),
    element('td', {}, text(module.package) || element('span', {class: 'soft'}, 'no package')),
    element('td', {'data-label': 'build id'}, hash(module.build_id)),
    element('td', {'data-label': 'sha256'}, hash(module.sha256)))));
  const headings = ['Role', 'Library', 'Package', 'Build id', 'SHA-256'];
  const host = bodyOf('stack');
  host.append(element('div', {class: 'card'}, table({class: 'wraps'}, headings, body)),
    terms([['Kernel', text(stack.kernel)], ['Device', text(stack.device) || 'none'], ['Address', text(stack.address)],
      ['Distribution', text(stack.distribution)]]));
  if (Object.keys(record(report.surroundings)).length > 0)
    host.append(element('details', {class: 'more'}, element('summary', {}, 'Surroundings: GIDs, limits, kernel modules'),
      things(report.surroundings)));
}

// A test's results on a clause, the worst first.
function resultsOn(test, clause) {
  return list(test.clauses).map((result) => ({...record(result), test})).filter((result) => result.clause === clause)
    .sort(byVerdict);
}

// The test, and the points at which the clause was broken.
function linesOfTest(results) {
  const test = results[0].test;
  const places = results.flatMap((result) => list(result.points));
  return [
    element('li', {}, badge(results[0].verdict), linkTo({test: text(test.id)}, {class: 'mono'}, breakable(test.id)),
      element('span', {class: 'soft'}, several(Number(test.points) || 0, 'point'))),
    ...places.map((point) =>
      element('li', {class: 'mono at'}, linkTo({point: text(point)}, {}, breakable(point)))),
  ];
}

function drawClauses() {
  const detail = (clause) => () => {
    const testing = tests.map((test) => resultsOn(test, clause.id)).filter((results) => results.length > 0)
      .sort((a, b) => byVerdict(a[0], b[0]));
    const at = points.filter((point) => isTestedAt(text(clause.id), point));
    return [
      element('h4', {}, testing.length === 0 ? 'No test of this run checks it' : several(testing.length, 'test')),
      at.length === 0 ? '' : linkTo({clause: text(clause.id)}, {}, 'Show these and their ' + several(at.length, 'point')),
      element('ul', {class: 'long', tabindex: '0'}, testing.map(linesOfTest)),
    ];
  };
  const body = element('tbody', {}, clauses.map((clause) => {
    const button = element('button', {type: 'button', class: 'open'}, text(clause.id));
    const row = element('tr', {class: 'clause', 'data-verdict': text(clause.verdict)},
      element('th', {scope: 'row'}, button),
      element('td', {}, badge(clause.verdict)),
      element('td', {}, text(clause.promise), reasonOf(clause)),
      element('td', {class: 'source'}, text(clause.source)));
    return openable(row, button, 4, detail(clause));
  }));
  bodyOf('clauses').append(element('div', {class: 'card'},
    table({class: 'wraps'}, ['Clause', 'Verdict', 'Promise', 'Source'], body)));
  const passed = clauses.filter((clause) => clause.verdict === 'pass').map((clause) => text(clause.id));
  bodyOf('clauses').append(element('p', {class: 'paper'}, 'Passed (' + passed.length + '): ' + (passed.join(', ') || 'none')));
}

const kNear = 4;  // lines around an injected call that are printed on paper, too

function timeline(lines) {
  const injected = lines.map((line) => text(line).trimStart().startsWith('>>>'));
  const first = injected.includes(true) ? 0 : 2 * kNear;  // without one, the first lines
  const near = (at) => at < first || injected.slice(Math.max(0, at - kNear), at + kNear + 1).includes(true);
  return element('pre', {class: 'long', tabindex: '0'}, lines.map((line, at) =>
    element('span', {class: injected[at] ? 'injected' : near(at) ? '' : 'far'}, text(line) + '\n')));
}

// Links to tests or points: a few, and the others on demand, because a finding can have a thousand.
function links(key, names) {
  const shown = 6;
  const item = (name) => element('li', {class: 'mono'}, linkTo({[key]: text(name)}, {}, breakable(name)));
  const first = element('ul', {class: 'plainlist links'}, names.slice(0, shown).map(item));
  if (names.length <= shown) return first;
  const more = element('details', {class: 'more'}, element('summary', {}, 'and ' + (names.length - shown) + ' more'));
  more.addEventListener('toggle', () =>
    more.append(element('ul', {class: 'plainlist links'}, names.slice(shown).map(item))), {once: true});
  return [first, more];
}

// The time line of a finding; in older reports it is with the test that saw the finding first.
function timelineOf(finding) {
  if (list(finding.timeline).length > 0) return list(finding.timeline);
  const same = (result) => ['clause', 'module', 'verdict', 'signature'].every((key) => result[key] === finding[key]);
  const results = tests.flatMap((test) => list(test.clauses).map(record)).filter(same);
  return list(record(results.find((result) => list(result.timeline).length > 0)).timeline);
}

const nameOf = (finding) => text(finding.clause) + ' by ' + (text(finding.module) || 'an unknown module');

function drawFindings() {
  const promises = new Map(clauses.map((clause) => [text(clause.id), text(clause.promise)]));
  const sorted = [...findings].sort(byVerdict);
  const cards = sorted.map((finding, place) => {
    const lines = timelineOf(finding);
    const at = [...new Set(list(finding.points))];  // two tests may try the same point
    return element('article', {class: 'card finding ' + classOf(text(finding.verdict))},
      element('header', {}, badge(finding.verdict),
        element('h3', {id: 'finding-' + place}, nameOf(finding)),
        element('span', {class: 'soft'}, 'at ' + several(at.length, 'point'))),
      element('p', {class: 'what'}, text(finding.reason)),
      element('p', {class: 'promise'}, 'Promised: ' + (promises.get(text(finding.clause)) || text(finding.clause))),
      list(finding.stack).length === 0 ? '' : [element('h4', {}, 'Call stack, innermost first'),
        element('pre', {class: 'long', tabindex: '0'}, list(finding.stack).map(text).join('\n'))],
      lines.length === 0 ? '' : [element('h4', {}, 'Time line of the first point'), timeline(lines)],
      at.length === 0 ? '' : [element('h4', {}, 'Points'), links('point', at)],
      element('div', {class: 'seen'}, element('h4', {}, 'Seen by'), links('test', list(finding.tests))),
      element('h4', {}, 'Reproduce it'),
      element('pre', {class: 'command'}, commandFor(at[0], finding.module)));
  });
  const host = bodyOf('findings');
  if (cards.length > 1)
    host.append(element('ol', {class: 'plainlist index'}, sorted.map((finding, place) => element('li', {},
      badge(finding.verdict),
      leadTo(element('a', {href: '#finding-' + place}, nameOf(finding)), cards[place].querySelector('h3')),
      element('span', {class: 'soft'}, text(finding.reason))))));
  host.append(...(cards.length > 0 ? cards : [element('p', {class: 'lead'}, 'None: no clause was broken.')]));
  for (const line of host.querySelectorAll('.injected')) line.parentNode.scrollTop = line.offsetTop - 60;
}

function drawKernelLog() {
  const lines = list(report.kernel_log).map(text);
  if (lines.length === 0) {
    const mock = report.provider === 'mock' ? ': the mock has no kernel' : '';
    bodyOf('kernel').append(element('p', {class: 'lead'}, 'No lines' + mock + '.'));
    return;
  }
  const open = findings.some((finding) => finding.module === 'kernel') ? {open: 'open'} : {};
  bodyOf('kernel').append(element('details', {class: 'more', ...open},
    element('summary', {}, several(lines.length, 'line') + ' during the run'),
    element('pre', {class: 'long', tabindex: '0'}, lines.join('\n'))));
}

function drawFooter() {
  const suite = record(report.suite);
  const parts = list(report.parts).map(record).map((part) =>
    text(part.shard) + ' (' + text(part.started) + ', ' + duration(part.seconds) + ')');
  document.querySelector('footer').append(terms([
    ['Suite', [text(suite.name), text(suite.version)].join(' ')],
    ['Commit', element('span', {class: 'mono'}, text(suite.commit))],
    ['Started', text(report.started)],
    ['Took', duration(report.seconds) + (report.resumed > 0 ? ', resumed ' + several(report.resumed, 'time') : '')],
    ['Seed', text(report.seed) + (report.chose_all === true ? ', everything chosen' : '')],
    ['Jobs', text(report.jobs)],
    ['Filter', report.filter === '*' ? 'none' : text(report.filter)],
    ['Shard', text(report.shard)],
    ['Merged of', parts.join('; ')],
    ['Limit of one experiment', report.timeout_seconds === undefined ? '' : duration(report.timeout_seconds)],
    ['Judged', text(report.judge) + ', exit code ' + text(report.exit_code)],
    ['Source of truth', 'report.json and points.jsonl beside this page']]));
}

function duration(value) {
  const seconds = Number(value) || 0;
  if (seconds < 60) return (seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)) + ' s';
  return Math.floor(seconds / 60) + ' min ' + Math.round(seconds % 60) + ' s';
}
