# SPDX-License-Identifier: BSD-3-Clause
"""Reads the templates for CI hosts: what is wrong with them, and what their jobs do when a host runs them."""
import os
import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "ci/templates"
YAMLLINT = "{extends: default, rules: {document-start: disable, line-length: {max: 120}, truthy: {check-keys: false}}}"

# What each report folder must hold for a host's users.
DOCUMENTS = ("report.json", "report.html", "junit.xml", "report.tap", "results.jsonl", "points.jsonl")

# The words of the hosts that a template may use. Hosts take what they do not know for nothing, or refuse all of it.
GITHUB_TOP = {"name", "on", "permissions", "env", "concurrency", "jobs"}
GITHUB_JOB = {"name", "runs-on", "container", "timeout-minutes", "env", "strategy", "steps", "needs", "if"}
GITHUB_STEP = {"name", "id", "if", "run", "uses", "with", "env"}
GITLAB_JOB = {"image", "stage", "timeout", "interruptible", "variables", "parallel", "before_script", "script", "cache",
              "artifacts", "rules", "needs", "tags"}
GITLAB_ARTIFACTS = {"when", "name", "expire_in", "paths", "reports"}
GITLAB_CACHE = {"key", "when", "paths"}
UPLOAD = "actions/upload-artifact@"
CACHE = "actions/cache@"


class Broken(Exception):
    """A template that a host could not run as it is meant."""


def is_yaml(path):
    return path.suffix == ".yml"


def load(text):
    document = yaml.safe_load(text)
    if True in document:  # YAML 1.1, which PyYAML reads, takes the word `on` for a truth
        document["on"] = document.pop(True)
    return document


# ---- What is wrong with a text.

def complaints(path, text):
    """All that is wrong with the template `path`, would it hold `text`."""
    found = [f"line {number}: a tab" for number, line in enumerate(text.splitlines(), 1) if "\t" in line]
    found += paths_that_do_not_exist(text)
    found += names_that_nobody_reads(text)
    if not is_yaml(path):
        return found
    lint = subprocess.run(["yamllint", "--strict", "-d", YAMLLINT, "-"], input=text, text=True, check=False,
                          stdout=subprocess.PIPE)
    found += lint.stdout.splitlines() if lint.returncode else []
    try:
        document = load(text)
        found += github_complaints(document) if "jobs" in document else gitlab_complaints(document)
    except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
        found.append(f"not of the shape that the host wants: {error!r}")
    return found


def paths_that_do_not_exist(text):
    """Paths of this project, in commands as in comments."""
    named = re.findall(r"(?<![\w./-])(?:ci|conformance|fixtures|mocks|shim)/(?:[\w./-]*\w)?", text)
    return [f"there is no {path}" for path in sorted(set(named)) if not (ROOT / path).exists()]


def names_that_nobody_reads(text):
    """Variables of the environment, and options of CMake."""
    readers = [ROOT / "CMakeLists.txt", ROOT / "ci/gate", ROOT / "ci/lib.sh", *(ROOT / "fixtures/rxe").rglob("*")]
    read = "".join(file.read_text() for file in readers if file.is_file())
    named = set(re.findall(r"(?:\b|(?<=-D))(?:(?:GATE|RPMACONF)_[A-Z_]+|[A-Z]+_PACKAGES)", text))
    return [f"nobody reads {name}" for name in sorted(named) if not re.search(rf"\b{name}\b", read)]


def unknown(what, mapping, known):
    return [f"{what}: the host knows no '{key}'" for key in mapping if key not in known]


def github_complaints(document):
    found = unknown("workflow", document, GITHUB_TOP)
    if not document["on"] or not document["jobs"]:
        found.append("there must be an event and a job")
    if document.get("permissions") != {"contents": "read"}:
        found.append("the job needs no more than to read the contents")
    for name, job in document["jobs"].items():
        found += unknown(f"job {name}", job, GITHUB_JOB)
        if "runs-on" not in job or job["container"]["image"] != "debian:12":
            found.append(f"job {name}: must run on Debian 12")
        for step in job["steps"]:
            found += unknown(f"job {name}", step, GITHUB_STEP)
            if ("run" in step) == ("uses" in step):
                found.append(f"job {name}: a step runs or uses something: {step}")
            if not re.fullmatch(r"[\w.-]+/[\w./-]+@v[0-9]+(\.[0-9]+)*|[\w.-]+/[\w./-]+@[0-9a-f]{40}",
                                step.get("uses", "a/b@v1")):
                found.append(f"job {name}: of which version is {step['uses']}?")
        uploads = [step for step in job["steps"] if step.get("uses", "").startswith(UPLOAD)]
        if not any(step.get("if") == "always()" and step["with"].get("if-no-files-found") == "error"
                   and step["with"].get("path") == "report/" for step in uploads):
            found.append(f"job {name}: the report must be kept, always")
        if not all("${{ strategy.job-index }}" in step["with"].get("name", "") for step in uploads):
            found.append(f"job {name}: the jobs of a matrix would keep their reports under one name")
        for cache in (step["with"] for step in job["steps"] if step.get("uses", "").startswith(CACHE)):
            if cache["key"] != cache.get("restore-keys", "") + "${{ github.run_id }}":
                found.append(f"job {name}: a cache is written once for each key, and read by its beginning")
        if not any("ci/gate" in step.get("run", "") for step in job["steps"]):
            found.append(f"job {name}: does not gate")
    return found


def gitlab_complaints(document):
    found = []
    jobs = {name: job for name, job in document.items() if "script" in job}
    found += unknown("pipeline", document, set(jobs))
    if not jobs:
        found.append("there must be a job with a script")
    for name, job in jobs.items():
        artifacts = job.get("artifacts", {})
        found += unknown(f"job {name}", job, GITLAB_JOB)
        found += unknown(f"artifacts of job {name}", artifacts, GITLAB_ARTIFACTS)
        found += unknown(f"cache of job {name}", job.get("cache", {}), GITLAB_CACHE)
        if job.get("image") != "debian:12":
            found.append(f"job {name}: must run on Debian 12")
        if artifacts.get("when") != "always" or "report/" not in artifacts.get("paths", []):
            found.append(f"job {name}: the report must be kept, always")
        if artifacts.get("reports") != {"junit": "report/junit.xml"}:
            found.append(f"job {name}: its JUnit report must be shown")
        if not any("ci/gate" in line for line in job["script"]):
            found.append(f"job {name}: does not gate")
    return found


# ---- What a job does.

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
        """What a host does that wants to keep a path: nothing there is an error."""
        files = sorted(file for file in (self.copy / path).rglob("*") if file.is_file())
        if (self.copy / path).is_file():
            files = [self.copy / path]
        if not files:
            self.output += f"nothing to keep in {path}\n"
            self.failed = True
        self.kept += files


def run_github(text, copy, environment, inputs):
    """The first job of a workflow, as GitHub's runner does it. `inputs`: of workflow_dispatch."""

    def evaluated(value):
        def one(match):
            name = re.fullmatch(r"inputs\.(\w+)", match.group(1))
            if not name or name.group(1) not in load(text)["on"]["workflow_dispatch"]["inputs"]:
                raise Broken(f"an expression that is not understood here: {match.group(0)}")
            return inputs.get(name.group(1), "")
        return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", one, str(value))

    document = load(text)
    work = next(iter(document["jobs"].values()))
    job = Job(copy, environment)
    variables = {**document.get("env", {}), **work.get("env", {})}
    for step in work["steps"]:
        if job.failed and step.get("if") != "always()":
            continue
        if step.get("if", "always()") != "always()":
            raise Broken(f"a condition that is not understood here: {step['if']}")
        if "run" in step:
            # In a container, the runner takes sh.
            own = {name: evaluated(value) for name, value in {**variables, **step.get("env", {})}.items()}
            job.run(["sh", "-e"], evaluated(step["run"]), own)
        elif step["uses"].startswith(UPLOAD):
            for path in evaluated(step["with"]["path"]).split():
                job.keep(path)
    return job


def run_gitlab(text, copy, environment, variables):
    """The first job of a pipeline, as GitLab's runner does it. `variables`: given for this pipeline."""
    work = next(job for job in load(text).values() if "script" in job)
    job = Job(copy, environment)
    known = {"CI_PROJECT_DIR": str(copy)}
    for name, value in work.get("variables", {}).items():
        known[name] = re.sub(r"\$\{?(\w+)\}?", lambda match: known.get(match.group(1), ""), str(value))
    known.update(variables)
    job.run(["bash", "-e", "-o", "pipefail"], "\n".join(work.get("before_script", []) + work["script"]), known)
    if job.failed and work["artifacts"].get("when") != "always":
        return job
    for path in work["artifacts"]["paths"] + list(work["artifacts"]["reports"].values()):
        job.keep(path)
    return job


def copy_of_project(target):
    """The files that git knows, or would take, in a folder of their own: what a host checks out."""
    listed = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others",
                             "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if not (ROOT / name).exists():
            continue  # removed, but not yet committed
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes((ROOT / name).read_bytes())
        os.chmod(target / name, (ROOT / name).stat().st_mode & 0o777)
