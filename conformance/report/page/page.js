// SPDX-License-Identifier: BSD-3-Clause
// The base of the other scripts of the page: the data, verdicts and elements. Text of a run reaches the page as text
// only: nothing here parses markup, and links lead to this page's own fragments.
'use strict';

// A page that is drawn in part must say so.
function sayTrouble(what) {
  const notice = document.getElementById('trouble');
  notice.textContent = 'This page could not be drawn: ' + what + '. The verdicts above are right; the rest is in ' +
    'report.json beside this file.';
  notice.hidden = false;
  document.documentElement.dataset.ready = 'no';
}

addEventListener('error', (event) => sayTrouble(event.message));

const kVerdicts = ['crash', 'hang', 'fail', 'broken', 'unreached', 'unsupported', 'skipped', 'waived', 'pass'];
const kSvg = 'http://www.w3.org/2000/svg';

// A field of a report may be missing, or of another type than today's.
const list = (value) => (Array.isArray(value) ? value : []);
const record = (value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {});
const text = (value) =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const data = JSON.parse(document.getElementById('data').textContent);
const report = record(data.report);
const points = list(data.points).map(record);
const tests = list(report.tests).map(record);
const clauses = list(report.clauses).map(record);
const findings = list(report.findings).map(record);
const stack = record(report.stack);

const clausesOf = new Map(tests.map((test) => [text(test.id), list(test.clauses).map(record)]));

function element(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes, ...children) {
  return filled(document.createElementNS(kSvg, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== '') node.setAttribute(key, value);
  for (const child of children.flat(Infinity)) if (child !== undefined && child !== '') node.append(child);
  return node;
}

const classOf = (verdict) => (kVerdicts.includes(verdict) ? 'v-' + verdict : 'v-unknown');
const shapeOf = (verdict) => (kVerdicts.includes(verdict) ? verdict : 'skipped');
const rank = (verdict) => (kVerdicts.includes(verdict) ? kVerdicts.indexOf(verdict) : kVerdicts.length - 2);

function badge(verdict, words) {
  const name = text(verdict) || 'unknown';
  const shape = drawn('svg', {'aria-hidden': 'true'}, drawn('use', {href: '#mark-' + shapeOf(name)}));
  return element('span', {class: 'verdict ' + classOf(name)}, shape, words || name);
}

// Why something is not a pass, in the colour of its verdict.
function reasonOf(thing) {
  const reason = text(thing.reason);
  return reason ? element('span', {class: 'reason ' + classOf(text(thing.verdict))}, reason) : '';
}

// How many there are of each verdict, worst first.
function tally(things) {
  const counts = new Map();
  for (const thing of things) counts.set(text(thing.verdict), (counts.get(text(thing.verdict)) || 0) + 1);
  return [...counts].sort((a, b) => rank(a[0]) - rank(b[0]));
}

const byVerdict = (a, b) => rank(text(a.verdict)) - rank(text(b.verdict));  // worst first; otherwise as they come

const several = (count, one) => count + ' ' + one + (count === 1 ? '' : 's');

// A long name that may break after its separators.
function breakable(name) {
  return text(name).split(/(?<=[/:])/).flatMap((part) => [part, document.createElement('wbr')]);
}

// A link to a view of the lists: what is chosen there is all that the address says.
function linkTo(choice, attributes, ...children) {
  return element('a', {href: '#' + new URLSearchParams(choice), ...attributes}, ...children);
}

const quoted = (word) => "'" + word.replaceAll("'", "'\\''") + "'";
const bare = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word));

// The options of the run, as far as its report holds them: the commands that repeat a point need them too.
function optionsOfTheRun() {
  const provider = text(report.provider);
  const options = ['--provider', bare(provider)];
  if (provider === 'hw') options.push('--device', bare(text(stack.device).split(',')[0]));
  if (provider !== 'mock' && text(stack.address)) options.push('--addr', bare(text(stack.address)));
  for (const module of list(stack.modules).map(record)) {
    const path = text(module.path);
    if (/^(\/usr)?\/lib\//.test(path)) continue;  // the system's own is found without an option
    if (module.role === 'iut') options.push('--librpma', bare(path));
    if (module.role === 'rdmacm' && provider !== 'mock') options.push('--rdma-core', bare(path.replace(/\/[^/]*$/, '')));
  }
  return options.join(' ');
}

function commandFor(point, module) {
  return module === 'kernel' || !text(point)
    ? 'rpma-conformance run ' + optionsOfTheRun()
    : 'rpma-conformance replay ' + optionsOfTheRun() + ' ' + quoted(text(point));
}

// Shows `things` some at a time: thousands of rows at once are slow.
function inChunks(host, body, things, size, row) {
  let next = 0;
  const more = element('button', {type: 'button', class: 'button'});
  const show = () => {
    body.append(...things.slice(next, next + size).flatMap(row));
    next = Math.min(next + size, things.length);
    more.textContent = 'Show ' + Math.min(size, things.length - next) + ' more of ' + (things.length - next);
    more.hidden = next === things.length;
  };
  more.addEventListener('click', () => {
    const shown = body.childElementCount;
    show();
    body.children[shown]?.querySelector('button, summary')?.focus();
  });
  show();
  host.append(more);
}

// A row whose button opens a second row below it, which is made when it is first opened. Escape closes it.
function openable(row, button, columns, detail) {
  let below = null;
  const close = (event) => {
    if (event.key !== 'Escape' || !below || below.hidden) return;
    event.stopPropagation();
    button.click();
    button.focus();
  };
  row.addEventListener('keydown', close);
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('click', () => {
    if (below === null) {
      below = element('tr', {class: 'detail', hidden: 'hidden'}, element('td', {colspan: columns}, ...detail()));
      below.addEventListener('keydown', close);
      row.after(below);
    }
    below.hidden = !below.hidden;
    button.setAttribute('aria-expanded', String(!below.hidden));
  });
  return row;
}

function table(attributes, headings, body) {
  const cells = headings.map((heading) => element('th', {scope: 'col'}, heading));
  return element('table', attributes, element('thead', {}, element('tr', {}, cells)), body);
}

// Any value as nested terms: shows fields that later versions add, too.
function things(value) {
  if (Array.isArray(value) && value.length > 0 && value.every((one) => Object.keys(record(one)).length > 0)) {
    const names = [...new Set(value.flatMap(Object.keys))];
    return table({class: 'rows'}, names.map((name) => name.replaceAll('_', ' ')), element('tbody', {},
      value.map((one) => element('tr', {}, names.map((name) => element('td', {}, name in one ? things(one[name]) : ''))))));
  }
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : element('ul', {class: 'plainlist'}, value.map((one) => element('li', {}, things(one))));
  if (value === null || typeof value !== 'object') return text(value) || 'none';
  return terms(Object.entries(value).map(([name, one]) => [name.replaceAll('_', ' '), things(one)]));
}

function terms(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== '');
  return element('dl', {class: 'things'},
    known.map(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
}

// A phone's screen is short and narrow.
const onPhone = () => matchMedia('(max-width: 46rem)').matches;

// Scrolls to a heading and moves the focus with the view.
function goTo(heading) {
  heading.setAttribute('tabindex', '-1');
  heading.focus({preventScroll: true});
  heading.scrollIntoView();
}

// Makes a link lead to a heading and leave the address, which holds the choice, as it is.
function leadTo(link, heading) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    goTo(heading);
  });
  return link;
}

const bodyOf = (section) => document.querySelector('#' + section + ' .body');
