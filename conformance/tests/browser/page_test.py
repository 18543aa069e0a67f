# SPDX-License-Identifier: BSD-3-Clause
"""The report page in a real browser: it shows what the report says, and nothing in a report runs.

  page_test.py --tool rpma-conformance --toy libtoy_rpma.so --writer conformance_write_page [-k TEST] [-v]

The reports: one of a run on the mock, of a toy listener that leaks; the same with hostile text in every string; the
same without the newer fields; the same with every verdict, and with faults in modules below the IUT.
"""
import argparse
import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

from browser import Browser

HOSTILE = '</script ></style><img src=x onerror="top.injected=1"><script >top.injected=1</script>\'"><!--\u2028&lt;'
VERDICTS = ('crash', 'hang', 'fail', 'broken', 'unreached', 'unsupported', 'skipped', 'waived', 'pass')
NEWER = ('profile', 'waivers', 'interrupted', 'resumed', 'parts', 'surroundings', 'calls')


class Report:
    """A folder with report.json and points.jsonl, and the page made of them."""

    def __init__(self, folder, report=None, points=None):
        self.folder = folder
        self.page = os.path.join(folder, 'report.html')
        if report is not None:
            os.makedirs(folder)
            with open(os.path.join(folder, 'report.json'), 'w', encoding='utf-8') as file:
                json.dump(report, file)
            with open(os.path.join(folder, 'points.jsonl'), 'w', encoding='utf-8') as file:
                file.writelines(json.dumps(point) + '\n' for point in points)
            subprocess.run([options.writer, folder], check=True)
        with open(os.path.join(folder, 'report.json'), encoding='utf-8') as file:
            self.report = json.load(file)
        with open(os.path.join(folder, 'points.jsonl'), encoding='utf-8') as file:
            self.points = [json.loads(line) for line in file]

    def clauses_of(self, test):
        return {result['clause'] for one in self.report['tests'] if one['id'] == test for result in one['clauses']}


def with_hostile_text(value):
    """Changes every string that is not a verdict, and adds a field to each object."""
    if isinstance(value, str):
        return value if value in VERDICTS else value + HOSTILE
    if isinstance(value, list):
        return [with_hostile_text(one) for one in value]
    if isinstance(value, dict):
        return {**{key: with_hostile_text(one) for key, one in value.items()}, HOSTILE: HOSTILE}
    return value


def with_extras(report):
    """Adds what a run on the mock never has: a kernel log, waivers, parts, an interruption."""
    report = copy.deepcopy(report)
    report['kernel_log'] = ['a line of the kernel']
    report['interrupted'] = 'SIGTERM'
    report['waivers'] = [{'clause': 'LISTEN-RET-2', 'module': 'rdmacm', 'package': 'librdmacm1', 'from': '44.0-1',
                          'to': '44.0-2', 'owner': 'an owner', 'reason': 'a reason', 'link': 'javascript:top.injected=1',
                          'expires': '2030-01-01', 'state': 'used'}]
    report['parts'] = [{'shard': '1/2', 'started': '2030-01-01T00:00:00Z', 'seconds': 1.5}]
    report['surroundings'] = {'gids': ['fe80::1'], 'limits': {'nofile': '1024'},
                              'kernel_modules': [{'name': 'rdma_rxe', 'version': '', 'srcversion': '1'}]}
    return report


def with_variety(points):
    points = copy.deepcopy(points)
    for number, point in enumerate(points):
        point['verdict'] = VERDICTS[number // 7 % len(VERDICTS)]
        if 'function' in point and number % 5 == 0:
            point['role'] = 'rdmacm'
    return points


def setUpModule():
    global scratch, browser, ordinary, small, hostile, older, varied
    scratch = tempfile.mkdtemp(prefix='rpmaconf-page-')
    unittest.addModuleCleanup(shutil.rmtree, scratch, ignore_errors=True)
    folder = os.path.join(scratch, 'ordinary')
    run = subprocess.run([options.tool, 'run', '--provider', 'mock', '--librpma', options.toy, '--report', folder],
                         env={**os.environ, 'RPMACONF_TOY': 'leak-block'}, stdout=subprocess.PIPE, check=False)
    if run.returncode != 1:
        raise AssertionError('the toy should have a finding:\n' + run.stdout.decode(errors='replace'))
    ordinary = Report(folder)
    extras = with_extras(ordinary.report)
    hostile = Report(os.path.join(scratch, 'hostile'), with_hostile_text(extras), with_hostile_text(ordinary.points))
    without = {key: value for key, value in ordinary.report.items() if key not in NEWER}
    for finding in without['findings']:
        finding.pop('timeline', None)
    older = Report(os.path.join(scratch, 'older'), without,
                   [{key: value for key, value in point.items() if key not in ('function', 'role', 'at')}
                    for point in ordinary.points])
    small = Report(os.path.join(scratch, 'small'), {**ordinary.report, 'tests': ordinary.report['tests'][:4],
                                                    'clauses': ordinary.report['clauses'][:4]}, ordinary.points[:12])
    varied = Report(os.path.join(scratch, 'varied'), ordinary.report, with_variety(ordinary.points))
    browser = Browser()
    browser.clean = None
    unittest.enterModuleContext(browser)


def count(selector):
    return browser.js(f'document.querySelectorAll({json.dumps(selector)}).length')


def text(selector):
    return browser.js(f'document.querySelector({json.dumps(selector)}).textContent')


def listed(which):
    return int(browser.js(f'document.getElementById("{which}").dataset.count'))


class PageTest(unittest.TestCase):
    def open(self, report, fragment='', **look):
        browser.look(**look)
        browser.open(report.page, fragment)
        if look.get('scripts', True):
            browser.settle()
            self.assert_drawn()
        browser.clean = None

    def read(self, report):
        """As open(), for tests that change nothing: they share one load of the page."""
        if browser.clean != report.page:
            self.open(report)
            browser.clean = report.page

    def assert_drawn(self):
        self.assertEqual(text('#trouble'), '')
        self.assertEqual(browser.js('document.documentElement.dataset.ready'), 'yes')
        self.assertEqual(browser.troubles, [])


class Content(PageTest):
    def test_verdicts_are_at_the_top(self):
        self.read(ordinary)
        self.assertIn(ordinary.report['verdicts']['subject']['verdict'], text('h1'))
        self.assertEqual(text('.why'), ordinary.report['verdicts']['subject']['reason'])
        facts = text('.facts')
        for reason in ordinary.report['certifiable']['reasons'] + ordinary.report['complete']['reasons']:
            self.assertIn(reason, facts)
        self.assertIn(ordinary.report['profile']['sha256'], facts)

    def test_each_clause_has_a_row_with_its_verdict(self):
        self.read(ordinary)
        rows = browser.js('[...document.querySelectorAll("tr.clause")].map((row) =>'
                          ' [row.cells[0].textContent, row.cells[1].textContent])')
        self.assertEqual(rows, [[clause['id'], clause['verdict']] for clause in ordinary.report['clauses']])

    def test_a_clause_opens_by_keyboard_and_shows_its_tests(self):
        self.open(ordinary)
        clause = ordinary.report['findings'][0]['clause']
        tests = {test['id'] for test in ordinary.report['tests'] if clause in ordinary.clauses_of(test['id'])}
        browser.js(f'[...document.querySelectorAll(".clause .open")].find((button) =>'
                   f' button.textContent === "{clause}").focus()')
        browser.press('Enter')
        browser.settle()
        shown = browser.js('[...document.querySelectorAll("#clauses .detail li > a[href^=\\"#test=\\"]")]'
                           '.map((link) => link.textContent)')
        self.assertEqual(sorted(shown), sorted(tests))
        self.assertGreater(count('#clauses .detail li > a[href^="#point="]'), 0)

    def test_each_point_is_a_mark_at_its_call(self):
        for report in (ordinary, varied):
            with self.subTest(report.folder):
                self.read(report)
                self.assert_marks(report.points)

    def assert_marks(self, points):
        expected = Counter((point.get('function', '-'), point.get('role', '-')) for point in points)
        self.assertGreater(len(expected), 5, 'the points should say where their faults fired')
        groups = browser.js('[...document.querySelectorAll("#picture .marks")].map((group) => [group.dataset.function,'
                            ' group.dataset.role, Number(group.dataset.points), group.querySelectorAll(".mark").length])')
        shown = Counter()
        for function, role, number, marks in groups:
            shown[(function, role)] += number
            self.assertEqual(marks, min(number, 500))
        self.assertEqual(shown, expected)
        verdicts = Counter(point['verdict'] for point in points)
        self.assertGreater(verdicts['fail'], 0)
        for verdict, number in verdicts.items():
            if verdict != 'pass':
                self.assertEqual(count(f'#picture .mark.v-{verdict}'), number)

    def test_the_calls_of_a_listen_are_in_their_order(self):
        self.read(ordinary)
        names = browser.js('[...document.querySelectorAll("#picture .name")].map((name) => name.textContent)')
        calls = [call['function'] for call in ordinary.report['calls']]
        self.assertGreater(len(calls), 3)
        self.assertEqual(names[:len(calls) + 2], ['rpma_ep_listen'] + calls + ['returns'])

    def test_a_persistent_failure_is_marked_at_the_call_where_it_begins(self):
        self.read(ordinary)
        groups = browser.js('[...document.querySelectorAll("#picture .marks[data-function=malloc][data-role=iut]")]'
                            '.map((group) => [...group.children].map((mark) => points[mark.dataset.point].point))')
        self.assertEqual(len(groups), 2)
        for number, marked in enumerate(groups, 1):
            swept = {point for point in marked if '/allocation:' in point and '/threads=' not in point}
            self.assertEqual(len(swept), 3)  # cold, primed, warm
            for point in swept:
                self.assertIn(f':when={number}+', point)

    def test_a_mark_leads_to_its_point(self):
        self.open(ordinary)
        title = text('#picture .mark.v-fail title')
        browser.js('document.querySelector("#picture .mark.v-fail").dispatchEvent(new MouseEvent("click", {bubbles: true}))')
        browser.settle()
        point = title.split('\n')[0].removeprefix('fail: ')
        self.assertEqual(browser.js('new URLSearchParams(location.hash.slice(1)).get("point")'), point)
        self.assertEqual(listed('points'), sum(one['point'] == point for one in ordinary.points))
        self.assertEqual(text('#points summary'), point)

    def test_each_finding_has_its_points_time_line_and_command(self):
        self.open(ordinary)
        findings = ordinary.report['findings']
        self.assertGreater(len(findings), 0)
        self.assertEqual(count('.finding'), len(findings))
        browser.js('document.querySelectorAll(".finding details").forEach((one) => { one.open = true; })')
        browser.settle()
        for finding in findings:
            card = browser.js('[...document.querySelectorAll(".finding")].map((one) => one.textContent).find((one) =>'
                              f' one.includes({json.dumps(finding["points"][0])}))')
            self.assertIn(finding['reason'], card)
            for point in finding['points']:
                self.assertIn(point, card)
            self.assertEqual(len(finding['points']), len(set(finding['points'])))
            self.assertIn(f"at {len(finding['points'])} point", card)
        # The mock is not a librdmacm that --rdma-core can name.
        self.assertEqual(text('.finding pre.command'), 'rpma-conformance replay --provider mock --librpma '
                         f"{os.path.realpath(options.toy)} '{findings[0]['points'][0]}'")
        self.assertRegex(text('.finding pre .injected'), r'^ *>>> .*\[injected\]')
        # Each call is on a line of its own, also the one after the injected call.
        places = browser.js('[...document.querySelector(".finding pre.long").children].map((line) =>'
                            ' [line.offsetLeft, line.offsetTop])')
        self.assertGreater(len(places), 3)
        self.assertEqual(len({left for left, _ in places}), 1)
        self.assertEqual([top for _, top in places], sorted({top for _, top in places}))

    def test_the_stack_is_complete(self):
        self.read(ordinary)
        stack = text('#stack')
        for module in ordinary.report['stack']['modules']:
            for field in ('role', 'path', 'package', 'build_id', 'sha256'):
                self.assertIn(module[field], stack)
        self.assertIn(ordinary.report['stack']['kernel'], stack)
        self.assertIn(ordinary.report['suite']['commit'], text('footer'))


class Order(PageTest):
    def test_findings_come_first_and_the_stack_last(self):
        self.read(ordinary)
        order = browser.js('[...document.querySelectorAll("main > section")].filter((one) => one.checkVisibility())'
                           '.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)'
                           '.map((one) => one.id)')
        self.assertEqual(order, ['findings', 'clauses', 'results', 'picture', 'kernel', 'stack'])
        links = browser.js('[...document.querySelectorAll("nav a")].map((one) => one.hash)')
        self.assertEqual(links, [f'#{one}-title' for one in order])

    def test_the_findings_begin_on_the_first_screen(self):
        for width, height, place in ((1280, 900, '.index a'), (390, 844, '#findings-title')):
            self.open(ordinary, width=width, height=height)
            self.assertLess(browser.js(f'document.querySelector("{place}").getBoundingClientRect().bottom'), height)

    def test_the_list_of_findings_leads_to_each(self):
        self.open(ordinary, '#verdict=fail')
        self.assertEqual(count('.index li'), len(ordinary.report['findings']))
        browser.js('document.querySelector(".index li:nth-child(2) a").click()')
        self.assertEqual(browser.js('document.activeElement.id'), 'finding-1')
        self.assertEqual(browser.js('location.hash'), '#verdict=fail')


class Keyboard(PageTest):
    # Notes each element that gets the focus: what it is, whether that shows, and whether it can be seen.
    WATCH = '''(() => {
      window.stops = [];
      addEventListener('focusin', ({target}) => {
        const style = getComputedStyle(target), at = target.getBoundingClientRect();
        const bar = document.querySelector('nav').getBoundingClientRect();
        const covered = !target.closest('nav') && at.top >= bar.top && at.bottom <= bar.bottom;
        stops.push({place: [...document.querySelectorAll('*')].indexOf(target), what: target.outerHTML.slice(0, 90),
          shows: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && style.clipPath === 'none',
          seen: !covered && at.bottom > 0 && at.top < innerHeight && at.right > 0 && at.left < innerWidth});
      });
    })()'''

    def test_tab_reaches_everything_once_and_shows_where_it_is(self):
        for width in (1280, 390):
            with self.subTest(width=width):
                self.open(small, width=width)
                wanted = browser.js('''[...document.querySelectorAll(
                    'a[href], button, input, select, summary, [tabindex="0"]')].filter((one) => one.checkVisibility()).length''')
                browser.js(self.WATCH)
                for _ in range(wanted):
                    browser.press('Tab')
                browser.settle()
                stops = browser.js('stops')
                self.assertEqual([stop for stop in stops if not stop['shows'] or not stop['seen']], [])
                places = [stop['place'] for stop in stops]
                self.assertEqual(places, sorted(set(places)))
                self.assertEqual(len(places), wanted)

    def test_the_first_stop_skips_to_the_findings(self):
        self.open(ordinary)
        browser.press('Tab')
        self.assertTrue(browser.js('document.activeElement.matches(".skip")'))
        browser.press('Enter')
        browser.settle()
        self.assertEqual(browser.js('document.activeElement.id'), 'findings-title')
        self.assertEqual(browser.js('location.hash'), '')

    def test_escape_closes_a_row_and_details(self):
        self.open(small)
        browser.js('document.querySelector(".clause .open").focus()')
        browser.press('Enter')
        browser.settle()
        browser.press('Tab')
        self.assertTrue(browser.js('document.activeElement.closest("tr.detail") !== null'))
        browser.press('Escape')
        self.assertFalse(browser.js('document.querySelector("tr.detail").checkVisibility()'))
        self.assertTrue(browser.js('document.activeElement === document.querySelector(".clause .open")'))
        browser.js('document.querySelector("#points summary").focus()')
        browser.press('Enter')
        browser.settle()
        self.assertEqual(count('#points details[open]'), 1)
        browser.press('Escape')
        self.assertEqual(count('#points details[open]'), 0)

    def test_arrows_move_between_marks_and_enter_chooses_one(self):
        self.open(ordinary)
        focused = 'points[document.activeElement.dataset.point].point'
        browser.js('document.querySelector("#picture .mark").focus()')
        marks = browser.js('[...document.activeElement.parentNode.children].map((mark) => points[mark.dataset.point].point)')
        for key, place in (('ArrowRight', 1), ('ArrowRight', 2), ('ArrowLeft', 1), ('Home', 0), ('ArrowLeft', 0), ('End', -1)):
            browser.press(key)
            self.assertEqual(browser.js(focused), marks[place])
        self.assertIn(marks[-1], text('#picture .focused'))
        self.assertEqual(count('#picture .marks:first-of-type .mark[tabindex="0"]'), 1)
        browser.press('Enter')
        browser.settle()
        self.assertEqual(text('#points summary'), marks[-1])
        self.assertEqual(browser.js('document.activeElement.id'), 'points-title')
        browser.press('Escape')
        browser.settle()
        self.assertEqual(browser.js('location.hash'), '')
        self.assertEqual(browser.js(focused), marks[-1])

    def test_the_focus_is_not_lost_where_a_button_goes(self):
        self.open(varied, '#verdict=fail')
        browser.js('document.querySelector(".chips button:last-child").focus()')
        browser.press('Enter')
        browser.settle()
        self.assertNotEqual(browser.js('document.activeElement.tagName'), 'BODY')
        browser.js('document.querySelector("#points .button").focus()')
        browser.press('Enter')
        self.assertEqual(browser.js('document.activeElement.tagName'), 'SUMMARY')


class Paper(PageTest):
    def test_a_few_pages_with_findings_clauses_failed_tests_and_stack(self):
        self.open(ordinary, '#text=nothing', dark=True)
        self.assertLessEqual(browser.pages_on_paper(), 8)
        browser.look(width=700, dark=True, media='print')
        shown = browser.js('document.body.innerText')
        for finding in ordinary.report['findings']:
            self.assertIn(finding['reason'], shown)
        for test in ordinary.report['tests']:
            self.assertEqual(test['id'] in shown, test['verdict'] != 'pass', test['id'])
        self.assertIn(f"{sum(test['verdict'] == 'pass' for test in ordinary.report['tests'])} pass", shown)
        for clause in ordinary.report['clauses']:
            self.assertIn(clause['id'], shown)
        rows = browser.js('[...document.querySelectorAll("tr.clause")].filter((row) => row.checkVisibility()).length')
        self.assertEqual(rows, sum(clause['verdict'] != 'pass' for clause in ordinary.report['clauses']))
        for module in ordinary.report['stack']['modules']:
            self.assertIn(os.path.basename(module['path']), shown)
        for gone in ('nav', 'form', '#points', '#picture svg'):
            self.assertFalse(browser.js(f'document.querySelector("{gone}").checkVisibility()'), gone)
        self.assertEqual(browser.js('getComputedStyle(document.documentElement).backgroundColor'), 'rgb(255, 255, 255)')
        self.assertEqual(browser.js(Look.CONTRAST), [])

    def test_a_run_that_passes_takes_two(self):
        report = json.loads(json.dumps(ordinary.report).replace('"fail"', '"pass"'))
        self.open(Report(os.path.join(scratch, 'passing'), {**report, 'findings': []}, []))
        self.assertLessEqual(browser.pages_on_paper(), 2)


class Filters(PageTest):
    def matching(self, fits):
        return [point for point in varied.points if fits(point)]

    def assert_points(self, expected):
        self.assertEqual(listed('points'), len(expected))
        self.assertEqual(count('#points tbody tr'), min(len(expected), 100))

    def test_nothing_chosen_shows_everything(self):
        self.open(varied)
        self.assert_points(varied.points)
        self.assertEqual(listed('tests'), len(varied.report['tests']))
        browser.js('document.querySelector("#points .button").click()')
        self.assertEqual(count('#points tbody tr'), min(len(varied.points), 200))

    def test_an_address_chooses(self):
        def has(point, word):
            return any(word in point.get(field, '').lower() for field in ('point', 'test', 'reason', 'at', 'module'))

        for fragment, fits in {
                '#verdict=fail': lambda point: point['verdict'] == 'fail',
                '#verdict=not-pass': lambda point: point['verdict'] != 'pass',
                '#verdict=fail&text=RDMA_Listen': lambda point: point['verdict'] == 'fail' and has(point, 'rdma_listen'),
                '#function=malloc': lambda point: point.get('function') == 'malloc',
                '#function=malloc&role=iut': lambda point: (point.get('function'), point.get('role')) == ('malloc', 'iut'),
                '#function=-': lambda point: 'function' not in point,
                '#clause=LISTEN-INVAL-1': lambda point: 'LISTEN-INVAL-1' in varied.clauses_of(point['test']),
                '#text=%3Cimg%20src%3Dx%3E': lambda point: False,
                '#verdict=%3Cscript%3E': lambda point: False}.items():
            with self.subTest(fragment):
                self.open(varied, fragment)
                expected = self.matching(fits)
                self.assertLess(len(expected), len(varied.points))
                self.assertTrue(expected or '%3C' in fragment)
                self.assert_points(expected)

    def test_typing_changes_the_address(self):
        self.open(varied)
        browser.js('document.getElementById("filter-text").focus()')
        browser.call('Input.insertText', text="o'calloc & co")
        browser.settle()
        self.assertEqual(browser.js('new URLSearchParams(location.hash.slice(1)).get("text")'), "o'calloc & co")
        self.assertEqual(listed('points'), 0)
        browser.js('document.querySelector(".chips button:last-child").click()')
        browser.settle()
        self.assertEqual(browser.js('document.getElementById("filter-text").value'), '')
        self.assert_points(varied.points)
        self.assert_drawn()

    def test_the_navigation_keeps_the_choice(self):
        self.open(varied, '#verdict=fail')
        browser.js('document.querySelector("nav a").click()')
        self.assertEqual(browser.js('location.hash'), '#verdict=fail')


class Hostile(PageTest):
    def test_text_of_a_run_stays_text(self):
        self.open(hostile)
        for button in ('.clause .open', '.test .open'):
            browser.js(f'document.querySelectorAll("{button}").forEach((one) => one.click())')
        browser.js('document.querySelectorAll("details").forEach((one) => { one.open = true; })')
        browser.settle()
        self.assert_drawn()
        self.assertFalse(browser.js('"injected" in window'))
        self.assertEqual(count('script'), 2)
        self.assertEqual(count('style'), 1)
        self.assertEqual(count('img, iframe, object, embed, base, link, [onerror], [onload], [onclick]'), 0)
        self.assertEqual(browser.js('[...document.querySelectorAll("a")].filter((link) =>'
                                    ' !(link.getAttribute("href") || "#").startsWith("#")).length'), 0)
        for place in ('.why', '#stack', '#clauses', '.finding', '#points', '#tests', '#waivers', '#kernel', 'footer',
                      '#interrupted', '.facts'):
            self.assertIn(HOSTILE, text(place), place)
        self.assertEqual(count('tr.clause'), len(hostile.report['clauses']))

    def test_unknown_verdicts_stay_text(self):
        report = json.loads(json.dumps(ordinary.report).replace('"fail"', json.dumps(HOSTILE)))
        points = json.loads(json.dumps(ordinary.points).replace('"fail"', json.dumps(HOSTILE)))
        self.open(Report(os.path.join(scratch, 'no-verdict'), report, points))
        self.assertIn(HOSTILE, text('h1'))
        self.assertEqual(count('img'), 0)

    def test_an_injected_script_does_not_run(self):
        injected = os.path.join(scratch, 'injected.html')
        with open(ordinary.page, encoding='utf-8') as file:
            page = file.read()
        with open(injected, 'w', encoding='utf-8') as file:
            file.write(page.replace('</main>', HOSTILE.replace('<!--', '') + '</main>'))
        browser.look()
        browser.open(injected)
        browser.settle()
        self.assertEqual(count('img'), 1)
        self.assertFalse(browser.js('"injected" in window'))
        self.assertTrue(any('Content Security Policy' in trouble for trouble in browser.troubles), browser.troubles)

    def test_a_page_that_cannot_be_drawn_says_so(self):
        broken = os.path.join(scratch, 'broken.html')
        with open(ordinary.page, encoding='utf-8') as file:
            page = file.read()
        with open(broken, 'w', encoding='utf-8') as file:
            file.write(page.replace('id="data">{', 'id="data">'))
        browser.look()
        browser.open(broken)
        browser.settle()
        self.assertEqual(browser.js('document.documentElement.dataset.ready'), 'no')
        self.assertNotEqual(text('#trouble'), '')
        self.assertTrue(browser.js('document.querySelector("#trouble").checkVisibility()'))


class Older(PageTest):
    def test_missing_fields_are_tolerated(self):
        self.open(older)
        self.assertEqual(count('tr.clause'), len(older.report['clauses']))
        self.assertEqual(listed('points'), len(older.points))
        self.assertEqual(count('.finding'), len(older.report['findings']))

    def test_even_an_empty_report_is_drawn(self):
        self.open(Report(os.path.join(scratch, 'empty'), {}, []))
        self.open(Report(os.path.join(scratch, 'odd'),
                         {key: 1 for key in ordinary.report} | {'findings': [1, None, {'points': 3}], 'tests': [[], {}]},
                         [{}, {'point': 7, 'function': [], 'verdict': None}]))


class Look(PageTest):
    # The contrast of each text with what lies behind it: WCAG 2, level AA.
    CONTRAST = '''(() => {
      const channels = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
      const light = (colour) => {
        const [r, g, b] = channels(colour).map((one) => one / 255)
          .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const behind = (node) => {
        for (let one = node; one; one = one.parentElement) {
          const colour = channels(getComputedStyle(one).backgroundColor);
          if (colour.length === 3 || colour[3] === 1) return getComputedStyle(one).backgroundColor;
        }
        return 'rgb(255, 255, 255)';
      };
      const poor = [];
      for (const node of document.body.querySelectorAll('*')) {
        const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim());
        if (!own || !node.checkVisibility()) continue;
        const style = getComputedStyle(node);
        const colours = [light(node instanceof SVGElement ? style.fill : style.color), light(behind(node))];
        const ratio = (Math.max(...colours) + 0.05) / (Math.min(...colours) + 0.05);
        if (ratio < 4.5) poor.push([node.tagName, node.className.baseVal ?? node.className, ratio.toFixed(2),
          node.textContent.slice(0, 40)]);
      }
      return poor;
    })()'''

    def test_light_and_dark_can_be_read(self):
        backgrounds = []
        for dark in (False, True):
            self.open(hostile, dark=dark)
            browser.js('document.querySelectorAll("details").forEach((one) => { one.open = true; })')
            for verdict in VERDICTS:  # those of which the report has none
                browser.js(f'document.querySelector("#findings .body").append(badge("{verdict}"))')
            self.assertEqual(browser.js(self.CONTRAST), [])
            colour = browser.js('getComputedStyle(document.documentElement).backgroundColor')
            backgrounds.append(sum(map(int, re.findall(r'\d+', colour)[:3])))
        self.assertGreater(backgrounds[0], 600)
        self.assertLess(backgrounds[1], 150)

    def test_nothing_is_wider_than_the_window(self):
        for report in (ordinary, hostile):
            self.open(report, width=320)
            browser.js('document.querySelectorAll(".open").forEach((one) => one.click())')
            browser.js('document.querySelectorAll("details").forEach((one) => { one.open = true; })')
            for width in (320, 768, 1280):
                with self.subTest(report=report.folder, width=width):
                    browser.look(width=width)
                    browser.settle()
                    self.assertLessEqual(browser.js('document.documentElement.scrollWidth'), width)
                    self.assertEqual(browser.js('innerWidth'), width)

    def test_a_finger_hits_what_it_can_touch_on_a_phone(self):
        self.open(varied, width=390)
        browser.js('document.querySelectorAll(".open").forEach((one) => one.click())')
        browser.js('document.querySelectorAll("details").forEach((one) => { one.open = true; })')
        browser.settle()
        low = browser.js("""[...document.querySelectorAll('a, button, summary, select, input')]
          .filter((one) => one.checkVisibility() && !one.matches('.skip'))
          .filter((one) => one.getBoundingClientRect().height < 23.9)
          .map((one) => one.outerHTML.slice(0, 100))""")
        self.assertEqual(low, [])

    def test_a_window_may_change_its_width(self):
        self.open(varied, width=1280)
        wide = browser.js('document.querySelector(".drawing svg").getAttribute("viewBox")')
        browser.look(width=390)
        browser.settle()
        self.assertNotEqual(browser.js('document.querySelector(".drawing svg").getAttribute("viewBox")'), wide)
        self.assertEqual(count('.drawing svg'), 1)
        self.assert_drawn()

    def test_without_scripts_the_verdicts_are_shown(self):
        self.open(hostile, scripts=False)
        self.assertIn(ordinary.report['verdicts']['subject']['verdict'], browser.js('document.querySelector("h1").innerText'))
        shown = browser.js('document.querySelector("noscript").innerText')
        for clause in ordinary.report['clauses']:
            self.assertIn(clause['id'], shown)
        self.assertFalse(browser.js('document.querySelector("main").checkVisibility()'))
        self.assertEqual(count('img'), 0)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    for name in ('tool', 'toy', 'writer'):
        parser.add_argument('--' + name, required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
