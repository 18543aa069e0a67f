#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The options that ci/gate passes to the tool, and its exit codes. A fake tool records them."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = """#!/bin/sh
printf '%s\\n' "$@" >"$(dirname "$0")/asked"
exit "${ANSWER:-0}"
"""
# A test installs nothing; each package counts as installed.
NOTHING = "#!/bin/sh\nexit 0\n"
EVERYTHING = "#!/bin/sh\necho installed\n"


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Gate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        write_program(self.folder / "build/bin/rpma-conformance", TOOL)
        write_program(self.folder / "path/apt-get", NOTHING)
        write_program(self.folder / "path/apt-cache", NOTHING)
        write_program(self.folder / "path/dpkg-query", EVERYTHING)

    def gate(self, *options, **variables):
        """Runs it; returns its exit code, its output, and the arguments of the tool."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GATE_")}
        environment["PATH"] = f"{self.folder}/path:{environment['PATH']}"
        environment["GATE_BUILD"] = str(self.folder / "build")
        environment.update(variables)
        ran = subprocess.run([ROOT / "ci/gate", *options], cwd=self.folder, env=environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        asked = self.folder / "build/bin/asked"
        return ran.returncode, ran.stdout, asked.read_text().splitlines() if asked.exists() else None

    def asked(self, *options, **variables):
        code, said, asked = self.gate(*options, **variables)
        self.assertEqual(code, 0, said)
        return asked

    def test_gates_on_rxe_by_default(self):
        self.assertEqual(self.asked(), [
            "run", "--provider", "rxe", "--baseline", f"{ROOT}/fixtures/baselines/debian-12-rxe.json",
            "--report", "report"])

    def test_provider_chooses_the_baseline(self):
        for provider, baseline in (("mock", "mock"), ("rxe", "rxe"), ("hw", "rxe")):
            wanted = f"{ROOT}/fixtures/baselines/debian-12-{baseline}.json"
            self.assertTrue(os.path.exists(wanted))
            self.assertIn(wanted, self.asked(GATE_PROVIDER=provider))
            self.assertIn(wanted, self.asked("--provider", provider))
            self.assertIn(wanted, self.asked(f"--provider={provider}"))

    def test_given_options_replace_the_defaults(self):
        given = ["--report=elsewhere", "--baseline", "mine.json", "--provider", "hw", "--device", "mlx5_0"]
        self.assertEqual(self.asked(*given, GATE_PROVIDER="mock"), ["run", *given])

    def test_a_resumed_run_gets_no_other_options(self):
        for given in (["--resume", "begun"], ["--resume=begun", "--jobs", "2"]):
            self.assertEqual(self.asked(*given, GATE_PROVIDER="mock"), ["run", *given])

    def test_a_resumed_run_installs_the_packages_of_its_provider(self):
        write_program(self.folder / "path/dpkg-query", NOTHING)  # nothing is installed
        write_program(self.folder / "path/id", "#!/bin/sh\necho 1000\n")
        for provider, code in (("mock", 0), ("rxe", 2)):
            record = self.folder / "begun/run.json"
            record.parent.mkdir(exist_ok=True)
            record.write_text(json.dumps({"suite": {}, "options": {"provider": provider, "device": ""}}, indent=2))
            self.assertEqual(self.gate("--resume", "begun")[0], code, provider)

    def test_refuses_an_option_without_its_value(self):
        for option in ("--provider", "--baseline", "--report", "--resume", "--filter", "--shard"):
            for words in ([option], [option, ""], [f"{option}="], [option, "--jobs", "2"]):
                with self.subTest(words=words):
                    code, said, asked = self.gate(*words)
                    self.assertEqual((code, asked), (2, None))
                    self.assertIn(option, said)

    def test_warns_of_a_partial_run(self):
        for words in (["--filter", "Listen.*"], ["--shard=1/2"]):
            self.assertIn(words[0].split("=")[0], self.gate(*words)[1])

    def test_takes_options_from_the_environment(self):
        asked = self.asked("--jobs", "2", GATE_OPTIONS="--provider mock --librpma /x.so")
        self.assertEqual(asked[:7], ["run", "--provider", "mock", "--librpma", "/x.so", "--jobs", "2"])
        self.assertEqual(asked.count("--provider"), 1)

    def test_exits_with_the_code_of_the_tool(self):
        for answer in range(5):
            self.assertEqual(self.gate(ANSWER=str(answer))[0], answer)

    def test_says_where_the_report_is(self):
        self.assertIn(f"{self.folder.resolve()}/report", self.gate()[1])
        self.assertIn("/some/where", self.gate("--report", "/some/where")[1])

    def test_refuses_an_unknown_provider(self):
        code, said, asked = self.gate(GATE_PROVIDER="iwarp")
        self.assertEqual((code, asked), (2, None))
        self.assertIn("iwarp", said)

    def test_refuses_a_folder_without_the_tool(self):
        code, said, asked = self.gate(GATE_BUILD="/nonexistent")
        self.assertEqual((code, asked), (2, None))
        self.assertIn("GATE_BUILD", said)


if __name__ == "__main__":
    unittest.main()
