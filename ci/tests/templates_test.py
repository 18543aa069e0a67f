#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The templates for CI hosts: linted, and their commands run in a copy of the project, on the mock, with a stack that
passes and with one that has a finding. A test of the tests breaks each template and wants that noticed.

RPMACONF_BUILD names the build whose tool the gates run; the dashboard builds its own."""
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import templates  # noqa: E402
from templates import TEMPLATES, DOCUMENTS  # noqa: E402

BUILD = Path(os.environ.get("RPMACONF_BUILD", templates.ROOT / "build/default"))
# A library with a mistake that the first tests show.
DEFECT = "null-gives-provider"
FINDING = f"--librpma {BUILD}/lib/rpma-conformance/librpma-defects.so"
# Installs for real only what is missing: the step before the checkout is run too.
APT_GET = """#!/bin/sh
for word; do case $word in -*|install) ;; update) exit 0 ;;
  *) dpkg-query -W -f='${db:Status-Status}' "$word" 2>/dev/null | grep -qx installed || exec /usr/bin/apt-get "$@" ;;
esac; done
"""


def template(name):
    return (TEMPLATES / name).read_text()


class Copy(unittest.TestCase):
    """With a fresh copy of the project."""

    def setUp(self):
        self.folder = BUILD / "templates" / self.id().rsplit(".", 2)[-2]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.copy = self.folder / "project"
        templates.copy_of_project(self.copy)
        program = self.folder / "path/apt-get"
        program.parent.mkdir()
        program.write_text(APT_GET)
        program.chmod(0o755)

    def environment(self, **more):
        own = {name: value for name, value in os.environ.items() if not name.startswith(("GATE_", "RPMACONF_"))}
        return {**own, "PATH": f"{self.folder}/path:{own['PATH']}", "GATE_PROVIDER": "mock",
                "GATE_BUILD": str(BUILD), **more}

    def assert_gate_passed(self, job):
        self.assertFalse(job.failed, job.output)
        self.assertIn("fixtures/baselines/debian-12-mock.json", job.output)
        self.assert_report(job.kept, False, job.output)

    def assert_gate_failed(self, job):
        self.assertTrue(job.failed, job.output)
        self.assertIn("LISTEN-INVAL-1", job.output)
        self.assert_report(job.kept, True, job.output)

    def assert_report(self, files, has_findings, output):
        names = {file.name: file for file in files}
        for document in DOCUMENTS:
            self.assertIn(document, names, output)
        report = json.loads(names["report.json"].read_text())
        self.assertEqual(report["provider"], "mock")
        self.assertGreater(len(report["tests"]), 100)
        self.assertEqual(bool(report["findings"]), has_findings)


class Lint(unittest.TestCase):
    def test_all_templates_are_clean(self):
        files = sorted(TEMPLATES.iterdir())
        self.assertEqual([file.name for file in files], ["dashboard.cmake", "github-actions.yml", "gitlab-ci.yml"])
        for file in files:
            self.assertEqual(templates.complaints(file, file.read_text()), [], file)


class Notices(unittest.TestCase):
    """Each template, broken in one way at a time."""

    BREAKS = {
        "github-actions.yml": [
            ("run: RPMACONF_CACHE=$PWD/build/cache ci/gate", "run: RPMACONF_CACHE=$PWD/build/cache ci/gat"),
            ("RPMACONF_CACHE=", "RPMACONF_CASH="),
            ("GATE_OPTIONS:", "GATE_OPTION:"),
            ("actions/checkout@v6", "actions/checkout"),
            ("actions/cache@v5", "actions/cache@main"),
            ("        if: always()\n", ""),
            ("conformance-report-${{ strategy.job-index }}", "conformance-report"),
            ("debian-12-${{ github.run_id }}", "debian-12"),
            ("          restore-keys: rpmaconf-machine-debian-12-\n", ""),
            ("          path: report/\n", "          path: reports/\n"),
            ("if-no-files-found: error", "if-no-files-found: warn"),
            ("    steps:\n", "    step:\n"),
            ("      - name: Gate\n", "      - name: Gate\n        continue-on-error: true\n"),
            ("      image: debian:12\n", "      image: debian\n"),
            ("    runs-on:", "\truns-on:"),
            ("permissions:\n  contents: read\n", ""),
        ],
        "gitlab-ci.yml": [
            ("    - ci/gate\n", "    - ci/gates\n"),
            ("  script:\n", "  scripts:\n"),
            ("  artifacts:\n", "  artefacts:\n"),
            ("    when: always\n    name", "    when: on_success\n    name"),
            ("      - report/\n", "      - reports/\n"),
            ("      junit: report/junit.xml\n", "      junit: report/junit.xlm\n"),
            ("  interruptible: true\n", "  allow_failure: true\n"),
            ("  image: debian:12\n", "  image: debian\n"),
            ("RPMACONF_CACHE:", "RPMACONF_CACHES:"),
        ],
        "dashboard.cmake": [
            ("-DRPMACONF_GATE=ON", "-DRPMACONF_GATES=ON"),
            (". ci/lib.sh", ". ci/libs.sh"),
            ("BUILD_PACKAGES", "BUILDING_PACKAGES"),
        ],
    }

    def test_each_break(self):
        self.assertEqual(sorted(self.BREAKS), sorted(file.name for file in TEMPLATES.iterdir()))
        for name, breaks in self.BREAKS.items():
            for right, wrong in breaks:
                with self.subTest(template=name, wrong=wrong):
                    text = template(name)
                    self.assertIn(right, text)
                    self.assertNotEqual(templates.complaints(TEMPLATES / name, text.replace(right, wrong)), [])


class GitHub(Copy):
    def job(self, inputs, **environment):
        return templates.run_github(template("github-actions.yml"), self.copy, self.environment(**environment), inputs)

    def test_a_stack_as_the_baseline_says_passes(self):
        self.assert_gate_passed(self.job({}))

    def test_a_finding_fails_the_job_and_the_report_is_kept(self):
        self.assert_gate_failed(self.job({"options": FINDING}, RPMACONF_DEFECT=DEFECT))


class GitLab(Copy):
    def job(self, variables, **environment):
        return templates.run_gitlab(template("gitlab-ci.yml"), self.copy, self.environment(**environment), variables)

    def test_a_stack_as_the_baseline_says_passes(self):
        self.assert_gate_passed(self.job({}))

    def test_a_finding_fails_the_job_and_the_report_is_kept(self):
        self.assert_gate_failed(self.job({"GATE_OPTIONS": FINDING}, RPMACONF_DEFECT=DEFECT))


class CDash:
    """A server that takes submissions, as CDash answers them. `taken`: names of the files."""

    def __init__(self):
        self.taken = []
        taken = self.taken

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_PUT(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                taken.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b'<?xml version="1.0"?><cdash version="3"><status>OK</status><message/></cdash>')

            do_POST = do_PUT

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/submit.php?project=stack"


class Dashboard(Copy):
    def dashboard(self, *variables, **environment):
        own = self.environment(**environment)
        own.pop("GATE_BUILD")
        # Quicker than what is released; with the compiler cache of the outer build, if it has one.
        launcher = os.environ.get("RPMACONF_LAUNCHER", "")
        options = "-DCMAKE_BUILD_TYPE=" + ("RelWithDebInfo" if launcher else "Debug")
        if launcher:
            options += f";-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"
        ran = subprocess.run(["ctest", "-S", "ci/templates/dashboard.cmake", f"-DOPTIONS={options}", *variables], text=True,
                             cwd=self.copy, env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        report = self.copy / "build/dashboard/reports/gate"
        job = templates.Job(self.copy, own)
        job.failed, job.output = ran.returncode != 0, ran.stdout
        job.kept = list(report.iterdir()) if report.exists() else []
        return job

    def results(self):
        """What CTest wrote down of the last test step."""
        testing = self.copy / "build/dashboard/Testing"
        tag = (testing / "TAG").read_text().splitlines()[0]
        self.assertTrue((testing / tag / "Configure.xml").exists())
        self.assertTrue((testing / tag / "Build.xml").exists())
        return (testing / tag / "Test.xml").read_text()

    # One test, so that there is one build.
    def test_gates_submits_and_tells(self):
        job = self.dashboard()
        self.assertFalse(job.failed, job.output)
        self.assert_report(job.kept, False, job.output)
        self.assertIn('<Test Status="passed">', self.results())

        with self.subTest("a finding fails it, after the submission"):
            cdash = CDash()
            job = self.dashboard(f"-DSUBMIT_URL={cdash.url}", GATE_OPTIONS=FINDING, RPMACONF_DEFECT=DEFECT)
            self.assertTrue(job.failed, job.output)
            self.assertIn("failed: testing (label gate)", job.output)
            self.assert_report(job.kept, True, job.output)
            self.assertRegex(self.results(), r'(?s)<Test Status="failed">\s*<Name>gate<.*"Exit Value">\s*<Value>1<')
            for document in ("Configure.xml", "Build.xml", "Test.xml", "Upload.xml"):
                self.assertTrue(any(document in path for path in cdash.taken), (document, cdash.taken))

        with self.subTest("a server that is not there fails it"):
            job = self.dashboard("-DSUBMIT_URL=http://127.0.0.1:1/submit.php?project=stack", "-DLABEL=gate")
            self.assertTrue(job.failed, job.output)
            self.assertIn("failed: submitting to", job.output)

        with self.subTest("a label that nothing has is no pass"):
            job = self.dashboard("-DLABEL=gat", "-DTARGET=rpma-conformance")
            self.assertTrue(job.failed, job.output)
            self.assertIn("failed: testing (label gat)", job.output)


if __name__ == "__main__":
    unittest.main()
