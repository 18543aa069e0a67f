#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The templates for CI hosts. yamllint reads them, a few rules hold that no run would show, and their commands run in a
copy of the project, on the mock: once with a stack that passes and once with one that has a finding.

RPMACONF_BUILD names the build whose tool the gates run; the dashboard builds its own."""
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "ci/templates"
BUILD = Path(os.environ.get("RPMACONF_BUILD", ROOT / "build/default"))
YAMLLINT = "{extends: default, rules: {document-start: disable, line-length: {max: 120}, truthy: {check-keys: false}}}"

# What each report folder must hold for a host's users.
DOCUMENTS = ("report.json", "report.html", "junit.xml", "report.tap", "results.jsonl", "points.jsonl")
UPLOAD = "actions/upload-artifact@"
# A library with a mistake that the first tests show.
DEFECT = "null-gives-provider"
FINDING = f"--librpma {BUILD}/lib/rpma-conformance/librpma-defects.so"
# Installs only missing packages: the step before the checkout runs too.
APT_GET = """#!/bin/sh
for word; do case $word in -*|install) ;; update) exit 0 ;;
  *) dpkg-query -W -f='${db:Status-Status}' "$word" 2>/dev/null | grep -qx installed || exec /usr/bin/apt-get "$@" ;;
esac; done
"""


def template(name):
    return (TEMPLATES / name).read_text()


def names_that_nothing_reads(text):
    """Paths of this project, variables of the environment and options of CMake that do not exist."""
    paths = set(re.findall(r"(?<![\w./-])(?:ci|conformance|fixtures|mocks|shim)/(?:[\w./-]*\w)?", text))
    readers = [ROOT / "CMakeLists.txt", ROOT / "ci/gate", ROOT / "ci/lib.sh", *(ROOT / "fixtures/rxe").rglob("*")]
    read = "".join(file.read_text() for file in readers if file.is_file())
    variables = set(re.findall(r"(?:\b|(?<=-D))(?:(?:GATE|RPMACONF)_[A-Z_]+|[A-Z]+_PACKAGES)", text))
    return ([path for path in sorted(paths) if not (ROOT / path).exists()] +
            [name for name in sorted(variables) if not re.search(rf"\b{name}\b", read)])


def complaints(text):
    """Mistakes that a run on one host with the mock does not show."""
    found = names_that_nothing_reads(text)
    found += re.findall(r"continue-on-error|allow_failure", text)  # the job would pass in spite of a finding
    document = yaml.safe_load(text)
    for name, job in (document.get("jobs") or {}).items():
        steps = job["steps"]
        uploads = [step for step in steps if step.get("uses", "").startswith(UPLOAD)]
        rules = {
            "permissions": document.get("permissions") == {"contents": "read"},
            "image": job["container"]["image"] == "debian:12",
            "version of an action": all(re.search(r"@(v[0-9.]+|[0-9a-f]{40})$", step.get("uses", "@v1")) for step in steps),
            "upload": all(step["with"].get("if-no-files-found") == "error" for step in uploads),
            # In a matrix, each report needs its own name.
            "name of the report": all("${{ strategy.job-index }}" in step["with"]["name"] for step in uploads),
            # A key is written once: each run has its own, and starts from the newest.
            "cache": all(step["with"]["key"] == step["with"].get("restore-keys", "") + "${{ github.run_id }}"
                         for step in steps if step.get("uses", "").startswith("actions/cache@")),
        }
        found += [f"{name}: {rule}" for rule, holds in rules.items() if not holds]
    if "jobs" not in document:
        found += [f"{name}: image" for name, job in document.items() if job.get("image") != "debian:12"]
    return found


class Lint(unittest.TestCase):
    def test_templates_are_clean(self):
        files = sorted(TEMPLATES.iterdir())
        self.assertEqual([file.name for file in files], ["dashboard.cmake", "github-actions.yml", "gitlab-ci.yml"])
        self.assertEqual(names_that_nothing_reads(files[0].read_text()), [])
        for file in files[1:]:
            subprocess.run(["yamllint", "--strict", "-d", YAMLLINT, file], check=True)
            self.assertEqual(complaints(file.read_text()), [], file)


class Notices(unittest.TestCase):
    """Each rule, broken once. Mistakes that stop a job or lose its report are found by GitHub and GitLab below."""

    BREAKS = {
        "github-actions.yml": [
            ("RPMACONF_CACHE=", "RPMACONF_CASH="),
            ("ci/gate boots", "ci/gat boots"),
            ("actions/checkout@v6", "actions/checkout"),
            ("actions/cache@v5", "actions/cache@main"),
            ("conformance-report-${{ strategy.job-index }}", "conformance-report"),
            ("debian-12-${{ github.run_id }}", "debian-12"),
            ("if-no-files-found: error", "if-no-files-found: warn"),
            ("      - name: Gate\n", "      - name: Gate\n        continue-on-error: true\n"),
            ("      image: debian:12\n", "      image: debian\n"),
            ("permissions:\n  contents: read\n", ""),
        ],
        "gitlab-ci.yml": [
            ("  interruptible: true\n", "  allow_failure: true\n"),
            ("  image: debian:12\n", "  image: debian\n"),
            ("RPMACONF_CACHE:", "RPMACONF_CACHES:"),
        ],
    }

    def test_each_break(self):
        for name, breaks in self.BREAKS.items():
            for right, wrong in breaks:
                with self.subTest(template=name, wrong=wrong):
                    self.assertIn(right, template(name))
                    self.assertNotEqual(complaints(template(name).replace(right, wrong)), [])


class Job:
    """A job in a copy of the project. `failed`, `output`, and the files that the host keeps: `kept`."""

    def __init__(self, copy, environment):
        self.copy = copy
        self.environment = environment
        self.failed = False
        self.output = ""
        self.kept = []

    def run(self, shell, script, variables):
        environment = {**self.environment, **{name: str(value) for name, value in variables.items()}}
        ran = subprocess.run([*shell, "-c", script], cwd=self.copy, env=environment, text=True, check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.output += ran.stdout
        self.failed = self.failed or ran.returncode != 0

    def keep(self, path):
        """Keeps a path as a host does; a path without files is an error."""
        path = self.copy / path
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        if not files:
            self.output += f"nothing to keep in {path}\n"
            self.failed = True
        self.kept += files


def run_github(text, copy, environment, inputs):
    """The first job of a workflow, as GitHub's runner does it. `inputs`: of workflow_dispatch."""

    def evaluated(value):
        value = re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: inputs.get(match.group(1), ""), str(value))
        assert "${{" not in value, f"an expression that this test does not know: {value}"
        return value

    work = next(iter(yaml.safe_load(text)["jobs"].values()))
    job = Job(copy, environment)
    for step in work["steps"]:
        if job.failed and step.get("if") != "always()":
            continue
        if "run" in step:
            variables = {**work.get("env", {}), **step.get("env", {})}
            # In a container, the runner uses sh.
            job.run(["sh", "-e"], evaluated(step["run"]), {name: evaluated(value) for name, value in variables.items()})
        elif step["uses"].startswith(UPLOAD):
            job.keep(evaluated(step["with"]["path"]))
    return job


def run_gitlab(text, copy, environment, variables):
    """The job of a pipeline, as GitLab's runner does it. `variables`: given for this pipeline."""
    work = yaml.safe_load(text)["gate"]
    job = Job(copy, environment)
    known = {name: str(value).replace("$CI_PROJECT_DIR", str(copy)) for name, value in work["variables"].items()}
    job.run(["bash", "-e", "-o", "pipefail"], "\n".join(work["script"]), {**known, **variables})
    if not job.failed or work["artifacts"].get("when") == "always":
        for path in work["artifacts"]["paths"] + [work["artifacts"]["reports"]["junit"]]:
            job.keep(path)
    return job


class Copy(unittest.TestCase):
    """With a fresh copy of the project: the files that git knows or would add, as a host checks them out."""

    def setUp(self):
        self.folder = BUILD / "templates" / self.id().rsplit(".", 2)[-2]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.copy = self.folder / "project"
        listed = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        for name in filter(None, listed.decode().split("\0")):
            if (ROOT / name).exists():  # not removed without a commit
                (self.copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.copy / name)
        program = self.folder / "path/apt-get"
        program.parent.mkdir()
        program.write_text(APT_GET)
        program.chmod(0o755)

    def environment(self, **more):
        own = {name: value for name, value in os.environ.items() if not name.startswith(("GATE_", "RPMACONF_"))}
        return {**own, "PATH": f"{self.folder}/path:{own['PATH']}", "GATE_PROVIDER": "mock",
                "GATE_BUILD": str(BUILD), **more}

    def assert_gates(self, run, name_of_options):
        """`run` is one of the hosts. It passes with the stack of the baseline, and fails with a finding."""
        for options, environment in (({}, {}), ({name_of_options: FINDING}, {"RPMACONF_DEFECT": DEFECT})):
            with self.subTest(options):
                shutil.rmtree(self.copy / "report", ignore_errors=True)
                job = run(self.copy, self.environment(**environment), options)
                self.assertEqual(job.failed, bool(options), job.output)
                self.assert_report(job.kept, bool(options), job.output)

    def assert_report(self, files, has_findings, output):
        names = {file.name: file for file in files}
        for document in DOCUMENTS:
            self.assertIn(document, names, output)
        report = json.loads(names["report.json"].read_text())
        self.assertEqual(report["provider"], "mock")
        self.assertGreater(len(report["tests"]), 100)
        self.assertEqual("LISTEN-INVAL-1" in {finding["clause"] for finding in report["findings"]}, has_findings)


class GitHub(Copy):
    def test_gates_and_keeps_the_report(self):
        self.assert_gates(lambda *job: run_github(template("github-actions.yml"), *job), "options")


class GitLab(Copy):
    def test_gates_and_keeps_the_report(self):
        self.assert_gates(lambda *job: run_gitlab(template("gitlab-ci.yml"), *job), "GATE_OPTIONS")


class CDash:
    """A server that answers submissions as CDash does. `taken`: names of the files."""

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
        # The compiler cache of the outer build makes it faster, if there is one.
        launcher = os.environ.get("RPMACONF_LAUNCHER", "")
        options = "-DCMAKE_BUILD_TYPE=" + ("RelWithDebInfo" if launcher else "Debug")
        if launcher:
            options += f";-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"
        ran = subprocess.run(["ctest", "-S", "ci/templates/dashboard.cmake", f"-DOPTIONS={options}", *variables], text=True,
                             cwd=self.copy, env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        report = self.copy / "build/dashboard/reports/gate"
        job = Job(self.copy, own)
        job.failed, job.output = ran.returncode != 0, ran.stdout
        job.kept = list(report.iterdir()) if report.exists() else []
        return job

    def results(self):
        """What CTest recorded of the last test step."""
        testing = self.copy / "build/dashboard/Testing"
        tag = (testing / "TAG").read_text().splitlines()[0]
        self.assertTrue((testing / tag / "Configure.xml").exists())
        self.assertTrue((testing / tag / "Build.xml").exists())
        return (testing / tag / "Test.xml").read_text()

    # One test, so that there is one build.
    def test_gates_and_submits(self):
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

        with self.subTest("a missing server fails it"):
            job = self.dashboard("-DSUBMIT_URL=http://127.0.0.1:1/submit.php?project=stack", "-DLABEL=gate")
            self.assertTrue(job.failed, job.output)
            self.assertIn("failed: submitting to", job.output)

        with self.subTest("an unknown label fails it"):
            job = self.dashboard("-DLABEL=gat", "-DTARGET=rpma-conformance")
            self.assertTrue(job.failed, job.output)
            self.assertIn("failed: testing (label gat)", job.output)


if __name__ == "__main__":
    unittest.main()
