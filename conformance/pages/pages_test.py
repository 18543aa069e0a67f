# SPDX-License-Identifier: BSD-3-Clause
"""The README and the man pages: rendered cleanly, complete, and true about files, commands and points.

  pages_test.py --tool rpma-conformance --man FOLDER --root SOURCES [TEST...]
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

PAGES = ('man1/rpma-conformance.1', 'man5/rpma-conformance-report.5', 'man7/rdmafault.7')
SOURCES = ('README.md', 'conformance/CONTRIBUTING.md', 'conformance/pages/rpma-conformance.1.md',
           'conformance/pages/rpma-conformance-report.5.md', 'shim/pages/rdmafault.7.md')
ROOMS = ('ci/', 'conformance/', 'fixtures/', 'mocks/', 'shim/')


def read(path):
    with open(os.path.join(options.root, path), encoding='utf-8') as file:
        return file.read()


def run(*command):
    return subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def shown(page):
    """The page as a reader sees it, in one line."""
    done = run('mandoc', '-T', 'utf8', '-O', 'width=1000', os.path.join(options.man, page))
    return re.sub(r'\s+', ' ', re.sub('.\b', '', done.stdout)).replace('\u2010', '-')


def commands():
    """Of the tool's help: the commands that are not hidden."""
    found = re.search(r'Subcommands:\n(.*?)\n(?:\S|$)', run(options.tool, '--help').stdout + '\n.', re.DOTALL)
    return re.findall(r'^  (\S+)', found.group(1), re.MULTILINE)


class Pages(unittest.TestCase):
    def test_mandoc_has_no_complaint(self):
        for page in PAGES:
            with self.subTest(page=page):
                done = run('mandoc', '-T', 'lint', '-W', 'warning', os.path.join(options.man, page))
                self.assertEqual('', done.stdout)

    def test_no_markup_is_left(self):
        for page in PAGES:
            with self.subTest(page=page):
                self.assertNotRegex(shown(page), r'\*\*|`|^@|[A-Z]@( |$)')

    def test_lines_do_not_begin_with_a_control_character(self):
        # The renderer drops such lines of examples.
        for page in SOURCES[2:]:
            self.assertEqual([], re.findall(r"^ *[.'].*", read(page), re.MULTILINE), page)

    def test_each_command_and_option_is_in_the_page(self):
        page = shown(PAGES[0])
        self.assertGreater(len(commands()), 10)
        for command in commands():
            text = run(options.tool, command, '--help').stdout
            options_of = re.findall(r'^  +(?:-\w, ?)?(--[a-z-]+)', text, re.MULTILINE)
            self.assertIn(f'@OPTIONS {command}@', read(SOURCES[2]))
            self.assertTrue(options_of, command)
            for option in options_of:
                self.assertIn(option, page, command)

    def test_each_option_in_the_text_is_one_of_a_command(self):
        known = ''.join(run(options.tool, command, '--help').stdout for command in commands())
        known += run(options.tool, '--help').stdout
        for source in SOURCES[2:]:
            for option in re.findall(r'\*\*[^*]*?(--[a-z-]+)\*\*', read(source)):
                with self.subTest(source=source, option=option):
                    self.assertRegex(known, rf'(^|[ ,]){option}\b')

    def test_each_exit_code_and_clause_is_in_the_page(self):
        page = shown(PAGES[0])
        status = page[page.index('EXIT STATUS'):]
        for code in range(5):
            self.assertRegex(status, rf' {code} [A-Z]')
        for clause in re.findall(r'[A-Z]+-[A-Z]+-\d', run(options.tool, 'list', '--clauses').stdout):
            self.assertIn(clause, page)

    def test_each_function_is_in_the_page(self):
        page = shown(PAGES[2])
        table = read('shim/functions.inc')
        for function in re.findall(r'^RDMAFAULT_FUNCTION\((\w+), \w+, (?!VOID)', table, re.MULTILINE):
            self.assertIn(f' {function} error= ', page)

    def test_readme_is_short_and_has_no_tables_of_the_program(self):
        text = read('README.md')
        self.assertLessEqual(len(text.splitlines()), 150)
        self.assertNotRegex(text, r'LISTEN-(USE|LEAK|EPPTR)-\d')

    def test_each_named_file_exists(self):
        for source in SOURCES:
            # The diffs and the output in CONTRIBUTING are tested by docs.contributing.
            text = re.sub(r'^```.*?^```', '', read(source), flags=re.MULTILINE | re.DOTALL)
            names = set(re.findall(r'[\w.*-]*/[\w./*-]*\w', re.sub(r'\w+://\S+', '', text)))
            links = re.findall(r'\]\(([^)]+)\)', text)
            for name in sorted(names) + links:
                if name.startswith(ROOMS) or name in links:
                    with self.subTest(source=source, name=name):
                        self.assertTrue(glob.glob(os.path.join(options.root, name)), name)

    def test_each_command_line_is_understood(self):
        # --help after a command makes the tool parse the line and run nothing.
        for source in SOURCES:
            text = re.sub(r'\\\n *', '', read(source))
            for line in re.findall(r'^    (?:build/default/bin/)?rpma-conformance (.*)', text, re.MULTILINE):
                with self.subTest(source=source, line=line):
                    words = re.sub(r' +#.*', '', line)
                    done = run('bash', '-c', f'"$0" {words} --help', options.tool)
                    self.assertEqual(0, done.returncode, done.stdout)
                    for option in re.findall(r' (--[a-z-]+)', words):
                        self.assertIn(option, done.stdout)

    def test_each_point_and_clause_is_known(self):
        for source in SOURCES:
            # A condition of CONTRIBUTING is made there.
            text = re.sub(r'^```.*?^```', '', read(source), flags=re.MULTILINE | re.DOTALL)
            for what in set(re.findall(r'rpma_ep_listen/[\w:=+@/!]+|\b[A-Z]+-[A-Z]+-\d\b', text)):
                with self.subTest(source=source, what=what):
                    self.assertEqual(0, run(options.tool, 'explain', what).returncode)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--tool', required=True)
    parser.add_argument('--man', required=True)
    parser.add_argument('--root', required=True)
    options, rest = parser.parse_known_args()
    for page in PAGES:
        if not os.path.exists(os.path.join(options.man, page)):
            sys.exit(f'no {page} in {options.man}: install go-md2man and build the target pages')
    if not shutil.which('mandoc'):
        sys.exit('no mandoc: apt-get install mandoc')
    unittest.main(argv=[sys.argv[0], *rest])
