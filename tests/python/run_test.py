"""run(): programs, exit codes, what becomes an exception."""
import json
import os
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import lanebank

SOURCE = Path(os.environ["LANEBANK_SOURCE"])
TRANSPOSES = Path(os.environ.get("LANEBANK_TRANSPOSES", ""))


class Run(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def program(self, body):
        path = self.folder / "app"
        path.write_text("#!/bin/sh\n" + body + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def test_a_program_without_kernels_ends_with_121(self):
        report = lanebank.run([self.program("echo out; echo err >&2")], capture=True)
        self.assertEqual((report.exit_code, report.program_exit_code, report.clean), (121, 0, False))
        self.assertEqual((report.stdout, report.launches, report.findings), ("out\n", (), ()))
        self.assertIn("err\n", report.stderr)
        self.assertEqual(report.json["schema"], "lanebank.report/1")
        self.assertEqual(report.shared, lanebank.Counts())

    def test_the_programs_own_code_is_no_exception_whatever_it_is(self):
        for code in (1, 120, 122, 125):
            report = lanebank.run([self.program(f"exit {code}")], capture=True)
            self.assertEqual((report.exit_code, report.program_exit_code), (code, code))
        self.assertEqual(lanebank.run([self.program("kill -9 $$")], capture=True).program_exit_code, 137)

    def test_wrong_use_is_an_exception_that_says_what(self):
        app = self.program("true")
        for arguments, options, said in [
                ([[]], {}, "empty"),
                (["./app"], {}, "list"),
                ([[self.folder / "missing"]], {}, "missing"),
                ([[app]], {"no_such_option": True}, "--no-such-option"),
                ([[app]], {"json": "report.json"}, "Report.save()"),
                ([[app]], {"html": str(self.folder / "none/report.html")}, "none/report.html"),
                ([[app]], {"remap": ["tile=nonsense"]}, "nonsense")]:
            with self.subTest(said), self.assertRaises(lanebank.UsageError) as caught:
                lanebank.run(*arguments, capture=True, **options)
            self.assertIn(said, str(caught.exception))
            self.assertEqual(caught.exception.exit_code, 125)
        with self.assertRaises(lanebank.Error):
            lanebank.run([app], cwd=self.folder / "missing")

    def test_options_working_folder_environment_and_input_reach_the_program(self):
        self.program("pwd; echo $MARK")
        report = lanebank.run(["./app"], cwd=self.folder, env={**os.environ, "MARK": "here"}, capture=True, max_excess=10,
                              fail_on="never", timing=True, remap=None, all_instructions=False)
        self.assertEqual(report.stdout, f"{self.folder.resolve()}\nhere\n")
        self.assertIn("timing", report.json)

    def test_a_timeout_ends_the_program(self):
        app = self.program("trap 'echo ended > ended; exit 3' TERM; while :; do sleep 0.02; done")
        begin = time.monotonic()
        with self.assertRaises(subprocess.TimeoutExpired):
            lanebank.run([app], cwd=self.folder, timeout=0.5)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertTrue((self.folder / "ended").exists())

    def test_reports_are_read_whole_and_saved(self):
        values = json.loads((SOURCE / "tests/report/data/everything.json").read_text())
        report = lanebank.Report.from_json({**values, "new_key": 1}, 120)
        self.assertEqual(len(report.launches), len(values["launches"]))
        self.assertEqual(len(report.findings), len(values["findings"]))
        launch, written = report.launches[0], values["launches"][0]
        self.assertEqual((launch.kernel, launch.grid, launch.shared.wavefronts),
                         (written["kernel"], tuple(written["grid"]), written["shared"]["wavefronts"]))
        self.assertEqual(report.shared.excess, sum(row["shared"]["excess"] for row in values["launches"]))
        for launch in report.launches:
            if all(row.modelled for row in launch.instructions):
                self.assertEqual(sum(row.excess for row in launch.instructions), launch.shared.excess)
        self.assertIn(report.findings[0].rule, str(report.findings[0]))
        report.save(self.folder / "saved.json")
        self.assertEqual(json.loads((self.folder / "saved.json").read_text()), report.json)

    def test_the_console_script_becomes_the_command(self):
        def python(code, *arguments):
            return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
        run = python("from lanebank._command import main; main()", "--version")
        self.assertEqual((run.returncode, run.stdout), (0, f"lanebank {lanebank.__version__}\n"))
        loaded = python("import sys, lanebank; print('numpy' in sys.modules)")
        self.assertEqual(loaded.stdout, "False\n", "the command starts without NumPy")

    def test_headers_are_where_include_dir_says(self):
        self.assertTrue((Path(lanebank.include_dir()) / "lanebank/swizzle.hpp").is_file())

    @unittest.skipUnless(TRANSPOSES.is_file(), "the program needs nvcc 13.0")
    def test_a_cuda_program_is_counted_as_it_was_measured(self):
        measured = json.loads((SOURCE / "tests/data/truth/cases/transposes.json").read_text())
        report = lanebank.run([TRANSPOSES, "1024", "1"], capture=True, checks="none")
        self.assertEqual(report.exit_code, 120)
        self.assertEqual([(launch.shared.wavefronts, launch.shared.ideal) for launch in report.launches],
                         [(row["memory_l1_wavefronts_shared"], row["memory_l1_wavefronts_shared_ideal"]) for row in measured["launches"]])
        self.assertTrue(all(finding.rule == "bank-conflict" for finding in report.findings))
        self.assertIn("wavefronts", str(report))



if __name__ == "__main__":
    unittest.main()
