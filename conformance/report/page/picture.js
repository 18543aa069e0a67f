// SPDX-License-Identifier: BSD-3-Clause
// The picture: the calls of a listen without faults from top to bottom, indented by depth, each with its points. Below
// them the calls that the libraries make themselves, with the faults that fired there.

const kPitch = 11;       // of marks
const kMostMarks = 500;  // of one row, worst first; the rest is counted

const keyOf = (thing) => JSON.stringify([text(thing.function), text(thing.role)]);

// The number in the `when` of a point's rule for `name`; 0 without one.
function whenOf(point, name) {
  const rule = text(point.point).split('/').find((part) => part.startsWith(name + ':'));
  const when = /:when=(\d+)/.exec(rule || '');
  return when === null ? 0 : Number(when[1]);
}

// The points of one test whose rule counts the allocations of all functions and all callers.
const sweepOf = (point) => JSON.stringify([text(point.test), keyOf(point)]);
const sweeps = new Map();
for (const point of points) {
  const when = whenOf(point, 'allocation');
  if (when > 0) sweeps.set(sweepOf(point), [...new Set([...(sweeps.get(sweepOf(point)) || []), when])].sort((a, b) => a - b));
}

// The place of a point's call among `count` calls of one function by one caller. A rule for `allocation` counts other
// calls too, so the place is that of its number among the numbers that the sweep tried at this function. The calls of
// modules below the IUT depend on the history of the process, so only the IUT's calls are told apart.
function occurrence(point, count) {
  if (count < 2 || point.role !== 'iut') return 0;
  const allocation = whenOf(point, 'allocation');
  const place = allocation > 0 ? sweeps.get(sweepOf(point)).indexOf(allocation) : whenOf(point, text(point.function)) - 1;
  return Math.max(0, Math.min(place, count - 1));
}

// The rows of the picture, each with the indices of its points, worst first.
function pictureRows() {
  const calls = list(report.calls).map(record);
  const shallowest = Math.min(...calls.map((call) => Number(call.depth) || 0));
  const rows = calls.map((call) => ({
    kind: 'call', function: text(call.function), role: text(call.role), result: text(call.result),
    depth: 1 + Math.max(0, (Number(call.depth) || 0) - shallowest), points: []}));
  const called = new Map();
  for (const row of rows) called.set(keyOf(row), [...(called.get(keyOf(row)) || []), row]);
  const root = {kind: 'root', function: '', role: '', depth: 0, points: []};
  const below = new Map();
  points.forEach((point, index) => {
    const known = called.get(keyOf(point));
    if (!text(point.function)) {
      root.points.push(index);
    } else if (known) {
      known[occurrence(point, known.length)].points.push(index);
    } else {
      const row = {kind: 'below', function: text(point.function), role: text(point.role), depth: 1, points: []};
      if (!below.has(keyOf(point))) below.set(keyOf(point), row);
      below.get(keyOf(point)).points.push(index);
    }
  });
  const all = [root, ...rows, ...below.values()];
  for (const row of all) row.points.sort((a, b) => rank(points[a].verdict) - rank(points[b].verdict) || a - b);
  return {root, calls: rows, below: [...below.values()]};
}

// The rows of each role, the roles in the order of the stack, the rows with the worst and the most points first.
function byRole(rows) {
  const order = [...new Set(list(stack.modules).map((module) => text(record(module).role)))];
  const place = (role) => (order.includes(role) ? order.indexOf(role) : order.length);
  const worst = (row) => rank(points[row.points[0]].verdict);
  const roles = [...new Set(rows.map((row) => row.role))].sort((a, b) => place(a) - place(b));
  return roles.map((role) => [role, rows.filter((row) => row.role === role)
    .sort((a, b) => worst(a) - worst(b) || b.points.length - a.points.length)]);
}

const inWords = (row) =>
  tally(row.points.map((index) => points[index])).map(([verdict, count]) => count + ' ' + verdict).join(', ');

// Draws rows one below the other.
class Drawing {
  constructor(width) {
    this.width = width;
    this.narrow = width < 620;
    this.left = this.narrow ? 0 : Math.min(370, Math.round(width * 0.42));  // where the marks begin
    this.y = 12;
    this.nodes = [];
    this.svg = drawn('svg', {role: 'group', 'aria-label': 'Calls of a listen, and the points at each'});
    this.spine = drawn('path', {class: 'spine'});
    this.svg.append(this.spine);
    this.lines = '';
  }

  text(x, y, attributes, ...parts) { return drawn('text', {x, y, ...attributes}, ...parts); }

  // The line from the call that a call was made in.
  connect(depth, y) {
    const parent = this.nodes.findLast((node) => node.depth < depth);
    const x = 6 + depth * 20;
    if (parent) this.lines += `M${parent.x} ${parent.y + 5}V${y - 5}q0 5 5 5H${x - 5}`;
    this.nodes.push({depth, x, y});
    return x;
  }

  marks(row, x, y) {
    const across = Math.max(1, Math.floor((this.width - x) / kPitch));
    const shown = row.points.slice(0, kMostMarks);
    const group = drawn('g', {class: 'marks', role: 'group', 'aria-label': whereIn(row), 'data-function': row.function || '-',
      'data-role': row.role || '-', 'data-points': row.points.length, 'data-across': across});
    shown.forEach((index, i) => {
      const point = points[index];
      const verdict = text(point.verdict);
      group.append(drawn('path', {class: 'mark ' + classOf(verdict), d: shapes.get(shapeOf(verdict)), 'data-point': index,
        role: 'link', tabindex: i === 0 ? '0' : '-1',
        transform: `translate(${x + (i % across) * kPitch} ${y + Math.floor(i / across) * kPitch})`},
        drawn('title', {}, inFull(point))));
    });
    const lines = Math.ceil(shown.length / across);
    if (row.points.length > shown.length)
      group.append(this.text(x, y + lines * kPitch + 11, {class: 'tally'}, 'and ' + (row.points.length - shown.length) + ' more'));
    this.svg.append(group);
    return lines * kPitch + (row.points.length > shown.length ? 16 : 0);
  }

  row(row, label) {
    const top = this.y;
    const x = this.connect(row.depth, top + 5);
    this.svg.append(drawn('circle', {class: 'node', cx: x, cy: top + 5, r: 4.5}));
    const tip = x + 14;
    const name = this.text(tip, top + 9.5, {class: 'name'}, label);
    const link = linkIn(row, name, {x: tip - 4, y: top - 7, width: label.length * 7.85 + 8, height: 24});
    this.svg.append(link);
    if (row.kind === 'call')
      link.after(this.text(tip + label.length * 7.85 + 10, top + 9.5, {class: 'role'}, row.role,
        /^-?\d+$/.test(row.result) ? drawn('tspan', {class: 'result', dx: 8}, '= ' + row.result) : ''));
    let height = 18;
    if (row.points.length > 0) {
      this.svg.append(this.text(tip, top + 26, {class: 'tally'}, ...this.tallied(row)));
      height = this.narrow ? 36 + this.marks(row, tip, top + 34) : Math.max(34, this.marks(row, this.left, top));
    }
    this.y += height + 12;
  }

  tallied(row) {
    return tally(row.points.map((index) => points[index])).flatMap(([verdict, count], i) => [
      i === 0 ? '' : ', ',
      drawn('tspan', verdict === 'pass' ? {} : {class: 'bad ' + classOf(verdict)}, count + ' ' + verdict)]);
  }

  end(words) {
    const root = this.nodes[0];
    this.lines += `M${root.x} ${root.y + 5}V${this.y}`;
    this.svg.append(drawn('circle', {class: 'node end', cx: root.x, cy: this.y + 5, r: 5}),
      this.text(root.x + 14, this.y + 9.5, {class: 'name'}, words));
    this.y += 34;
  }

  heading(words, ruled) {
    if (ruled) this.svg.append(drawn('path', {class: 'rule', d: `M0 ${this.y}H${this.width}`}));
    this.y += ruled ? 26 : 8;
    this.svg.append(this.text(0, this.y, {class: 'head'}, words));
    this.y += 16;
    this.nodes = [];
  }

  finished() {
    this.spine.setAttribute('d', this.lines);
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.y}`);
    return this.svg;
  }
}

const inFull = (point) =>
  text(point.verdict) + ': ' + text(point.point) + (text(point.reason) ? '\n' + text(point.reason) : '');

const whereIn = (row) =>
  row.kind === 'root' ? 'no fault in a call' : row.function + ' called by ' + (row.role || 'an unknown module');

// A name that leads to the points of its row. `area`: what a finger can touch.
function linkIn(row, name, area) {
  if (row.points.length === 0) return name;
  const choice = row.kind === 'root' ? {function: '-'} : {function: row.function, role: row.role};
  return drawn('a', {href: '#' + new URLSearchParams(choice), 'aria-label': whereIn(row) + ': ' + inWords(row)},
    drawn('rect', {class: 'area', ...area}), name);
}

const shapes = new Map(kVerdicts.map((verdict) =>
  [verdict, document.querySelector('#mark-' + verdict + ' path').getAttribute('d')]));
shapes.set('pass', 'M2.6 1.6h4.8a1 1 0 0 1 1 1v4.8a1 1 0 0 1-1 1H2.6a1 1 0 0 1-1-1V2.6a1 1 0 0 1 1-1z');  // small: there are many

function drawing(rows, width) {
  const picture = new Drawing(width);
  picture.row(rows.root, 'rpma_ep_listen');
  for (const row of rows.calls) picture.row(row, row.function);
  picture.end('returns');
  byRole(rows.below).forEach(([role, own], i) => {
    if (i === 0) {
      picture.heading('Deeper, in the libraries below', true);
      picture.y += 8;
    }
    picture.heading('by ' + (role || 'an unknown module'), false);
    for (const row of own) picture.row({...row, depth: 0}, row.function);
  });
  return picture.finished();
}

// The marks of a row are one stop of the Tab key; arrows, Home and End move between them, Enter and space choose one.
function onKeyAtMark(event) {
  const mark = event.target.closest('.mark');
  if (!mark) return;
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    chooseMark(mark);
    return;
  }
  const across = Number(mark.parentNode.dataset.across);
  const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across, Home: -Infinity, End: Infinity}[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const marks = [...mark.parentNode.querySelectorAll('.mark')];
  const next = marks[Math.max(0, Math.min(marks.indexOf(mark) + step, marks.length - 1))];
  mark.setAttribute('tabindex', '-1');
  next.setAttribute('tabindex', '0');
  next.focus();
}

const chooseMark = (mark) => choose({point: text(points[Number(mark.dataset.point)].point)});

function drawPicture() {
  const host = bodyOf('picture');
  const legend = tally(points).map(([verdict, count]) =>
    element('li', {}, linkTo({verdict}, {}, badge(verdict, verdict + ' ' + count))));
  host.append(element('ul', {class: 'legend', 'aria-label': 'Verdicts of points'}, legend));
  const card = element('div', {class: 'card drawing'});
  const focused = element('p', {class: 'mono focused', hidden: 'hidden'});
  host.append(card, focused);
  if (!points.some((point) => text(point.function)))
    host.append(element('p', {class: 'lead'}, 'The points of this run do not say in which calls their faults fired.'));
  const rows = pictureRows();
  let width = 0;
  const draw = () => {
    const style = getComputedStyle(card);
    const now = Math.floor(card.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
    if (now === width || now <= 0) return;
    width = now;
    card.replaceChildren(drawing(rows, width));
  };
  card.addEventListener('click', (event) => {
    const mark = event.target.closest('[data-point]');
    if (mark) chooseMark(mark);
  });
  card.addEventListener('keydown', onKeyAtMark);
  // A mark shows its text when the pointer is over it; the keyboard needs another place.
  card.addEventListener('focusin', (event) => {
    const mark = event.target.closest('.mark');
    focused.hidden = !mark;
    focused.textContent = mark ? inFull(points[Number(mark.dataset.point)]) : '';
  });
  card.addEventListener('focusout', () => { focused.hidden = true; });
  draw();
  addEventListener('resize', draw);
}
