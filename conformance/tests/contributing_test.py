# SPDX-License-Identifier: BSD-3-Clause
"""The worked examples of CONTRIBUTING: applies its diffs to a copy of the sources and runs its commands.

  contributing_test.py --root SOURCES [--copy FOLDER] [--apply-only]

The diffs have no line numbers: what a hunk removes or keeps must occur in the file exactly once. What a command prints
must match the lines below it, in which '...' matches any text. --copy keeps the copy, for a second run.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile


def blocks(text, kind):
    """The line number and text of each fenced block of a kind."""
    for match in re.finditer(r'^```' + kind + r'\n(.*?)^```$', text, re.MULTILINE | re.DOTALL):
        yield text.count('\n', 0, match.start()) + 1, match.group(1)


def apply_diff(root, line, text):
    header, *body = text.splitlines()
    if not header.startswith('--- '):
        sys.exit(f'CONTRIBUTING.md:{line}: a diff begins with "--- FILE"')
    path = os.path.join(root, header[4:])
    with open(path, encoding='utf-8') as file:
        content = file.read()
    hunks = '\n'.join(body).split('\n@@\n')
    for hunk in hunks:
        lines = hunk.split('\n')
        old = ''.join(one[1:] + '\n' for one in lines if not one.startswith('+'))
        new = ''.join(one[1:] + '\n' for one in lines if not one.startswith('-'))
        if content.count('\n' + old) != 1:
            sys.exit(f'CONTRIBUTING.md:{line}: not found exactly once in {header[4:]}:\n{old}')
        content = content.replace('\n' + old, '\n' + new)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(content)


def commands(text):
    """Each command of a console block with the output that it must give."""
    command, expected = None, []
    for line in text.splitlines():
        if line.startswith('$ '):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        else:
            expected.append(line)
    yield command, expected


def matches(expected, output):
    pattern = '\n'.join(re.escape(line) for line in expected)
    # A line of dots alone may also stand for no line at all.
    pattern = re.sub(r'(^|\n)\\\.\\\.\\\.(?=\n|$)', r'\1(?:.*\\n)*?.*', pattern)
    pattern = pattern.replace(r'\.\.\.', '.*')
    pattern = re.sub(r'(\\ )+', r'\\s+', pattern)
    return re.search(pattern, output) is not None


def run_block(root, line, text):
    for command, expected in commands(text):
        print(f'$ {command}', flush=True)
        done = subprocess.run(['bash', '-c', command], cwd=root, text=True, errors='replace', check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0 or not matches(expected, done.stdout):
            sys.exit(f'CONTRIBUTING.md:{line}: `{command}` gave exit status {done.returncode} and printed\n'
                     f'{done.stdout[-6000:]}\nexpected:\n' + '\n'.join(expected))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--root', required=True)
    parser.add_argument('--copy')
    parser.add_argument('--apply-only', action='store_true')
    options = parser.parse_args()
    with open(os.path.join(options.root, 'conformance/CONTRIBUTING.md'), encoding='utf-8') as file:
        text = file.read()
    with tempfile.TemporaryDirectory(prefix='contributing.') as folder:
        root = options.copy or os.path.join(folder, 'tree')
        shutil.copytree(options.root, root, symlinks=True, dirs_exist_ok=True,
                        ignore=lambda at, _: {'build', '.git'} if at == options.root else set())
        for line, diff in blocks(text, 'diff'):
            apply_diff(root, line, diff)
        if options.apply_only:
            return
        for line, console in blocks(text, 'console'):
            run_block(root, line, console)
    print('all examples work')


main()
