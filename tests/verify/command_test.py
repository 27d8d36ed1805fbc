#!/usr/bin/env python3
"""`lanebank verify` as a process. A script plays ncu: it replays what the real one printed on an H200 (data/README).

    command_test.py LANEBANK DATA SCHEMAS [--programs FOLDER]     FOLDER: programs of tests/truth; without it, half of the tests
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NCU = """#!/bin/sh
# ncu, as far as `lanebank verify` uses it. FAKE_NCU says how it goes.
printf '%s\\n' "$*" >> "$FAKE_FOLDER/calls"
page= report= log=
while [ $# -gt 0 ]; do
  case $1 in
    --import) import=$2; shift ;;
    --page) page=$2; shift ;;
    --log-file) log=$2; shift ;;
    -o) report=$2; shift ;;
  esac
  shift
done
if [ -n "$page" ]; then
  if [ "$FAKE_NCU" = old ]; then echo '==ERROR== Failed to read report: unsupported version'; exit 1; fi
  cat "$FAKE_DATA.$page.csv"; exit
fi
case $FAKE_NCU in
  permission) echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters' > "$log"; exit 1 ;;
  none) echo '==WARNING== No kernels were profiled.' > "$log"; exit 0 ;;
  fails) echo '==WARNING== The application returned an error code (7).' > "$log"; exit 7 ;;
  driver) echo '==ERROR== Cuda driver is not compatible with Nsight Compute.' > "$log"; exit 1 ;;
esac
echo replayed > "$report"
"""
LANEBANK, DATA, SCHEMAS, PROGRAMS = None, None, None, None


class Command(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.ncu = self.folder / "ncu"
        self.ncu.write_text(NCU)
        self.ncu.chmod(0o755)

    def verify(self, *words, data="atomics", ncu="ok", path=None):
        environment = dict(os.environ, FAKE_FOLDER=str(self.folder), FAKE_DATA=str(DATA / data), FAKE_NCU=ncu, TMPDIR=str(self.folder))
        if path is not None:
            environment["PATH"] = path
        return subprocess.run([LANEBANK, "verify", *map(str, words)], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=100)

    def live(self, *words, **named):
        return self.verify("--ncu", self.ncu, *words, **named)

    def ends(self, run, code, *said):
        self.assertEqual(run.returncode, code, run.stderr)
        text = " ".join(run.stderr.split())
        for words in said:
            self.assertIn(words, text)
        return run


class Failures(Command):
    """What ncu can do wrong; none of these needs a program that runs under lanebank."""

    def test_permission_says_what_to_ask_for(self):
        run = self.ends(self.live("--", "true", ncu="permission"), 122, "ERR_NVGPUCTRPERM", "NVreg_RestrictProfilingToAdminUsers=0",
                        "--cap-add=SYS_ADMIN", "lanebank verify --import source.csv --import raw.csv")
        self.assertEqual(run.stdout, "")

    def test_no_kernel(self):
        self.ends(self.live("--", "true", ncu="none"), 122, "ncu saw no kernel of it")

    def test_the_programs_own_code_under_ncu(self):
        self.ends(self.live("--", "true", ncu="fails"), 7, "the program ended with 7 under ncu")

    def test_the_reason_that_ncu_gives(self):
        self.ends(self.live("--", "true", ncu="driver"), 122, "Cuda driver is not compatible")
        self.ends(self.live("--", "true", ncu="old"), 122, "unsupported version", "name another with --ncu")

    def test_no_ncu(self):
        if Path("/usr/local/cuda/bin/ncu").exists() or Path("/opt/nvidia/nsight-compute").exists():
            self.skipTest("ncu stands where it is looked for")
        self.ends(self.verify("--", "/bin/true", path="/nonexistent"), 122, "Nsight Compute is neither on PATH", "-o report", "--import source.csv")

    def test_no_gpu(self):
        if any(Path(device).exists() for device in ("/dev/nvidiactl", "/dev/nvhost-gpu", "/dev/dxg")):
            self.skipTest("this machine has one")
        self.ends(self.verify("--", "/bin/true", path=str(self.folder)), 122, "has no NVIDIA GPU", "`lanebank run` needs none")

    def test_a_report_without_ncu_says_how_to_convert_it(self):
        (self.folder / "r.ncu-rep").write_bytes(b"NVR\0")
        self.ends(self.verify("--ncu", "/nonexistent", "--import", "r.ncu-rep", "--", "true"), 122,
                  "ncu --import r.ncu-rep --csv --page source --print-units base > source.csv")

    def test_files_that_are_none(self):
        (self.folder / "cut.csv").write_text((DATA / "atomics.source.csv").read_text()[:3000])
        (self.folder / "words.csv").write_text("hello\n")
        self.ends(self.verify("--import", "cut.csv", "--", "true"), 125, "cut.csv:", "cut off")
        self.ends(self.verify("--import", "words.csv", "--", "true"), 125, "words.csv: holds no launch")
        self.ends(self.verify("--import", "nowhere.csv", "--", "true"), 125, "nowhere.csv: cannot be read")
        self.ends(self.verify("--import", self.folder, "--", "true"), 125, "cannot be read")
        self.ends(self.verify("--prediction", "words.csv", "--import", DATA / "atomics.source.csv"), 125)

    def test_wrong_use(self):
        self.ends(self.verify("--prediction", "p.json"), 125, "nothing to measure")
        self.ends(self.verify("--prediction", "p.json", "--import", "a.csv", "--", "true"), 125, "takes the place of the program")
        self.ends(self.verify(), 125, "a program")
        self.ends(self.live("--json", "/nonexistent/x", "--", "true"), 125, "/nonexistent/x")
        self.assertFalse((self.folder / "calls").exists())


class Programs(Command):
    """Real programs under lanebank, against what an H200 measured of them."""

    def setUp(self):
        super().setUp()
        if PROGRAMS is None:
            self.skipTest("no programs: they need nvcc 13.0")
        self.app = {"atomics": [PROGRAMS / "C14_atomic_eight_per_thread"], "copies": [PROGRAMS / "C36_cpasync_ca_or_cg"],
                    "transposes": [PROGRAMS / "transposes", 256, 1]}

    def pages(self, data):
        return ["--import", DATA / f"{data}.source.csv", "--import", DATA / f"{data}.raw.csv"]

    def test_ncu_is_asked_for_what_is_needed_and_read(self):
        run = self.ends(self.live("-k", "regex:accum", "-c", 3, "--json", "-", "--keep", "kept", "--", *self.app["atomics"]), 0,
                        "18 rows", "0 unexplained", "explained: timing", "hardware counter")
        document = json.loads(run.stdout)
        check(document)
        rows = document["launches"][0]["rows"]
        self.assertEqual([row["measured"]["wavefronts"] for row in rows[:2]], [8, 533])
        self.assertTrue(all(row["verdict"] == "equal" for row in rows if row["cause"] != "timing"))
        calls = (self.folder / "calls").read_text()
        for words in ("--section SourceCounters", "memory_l1_wavefronts_shared_ideal", "--kernel-name regex:accum", "--launch-count 3",
                      "--page source", "--page raw"):
            self.assertIn(words, calls)
        self.assertEqual(sorted(os.listdir(self.folder / "kept")), ["program.out", "raw.csv", "report.ncu-rep", "source.csv"])

    def test_every_row_of_the_transposes_is_equal(self):
        run = self.ends(self.verify(*self.pages("transposes"), "-c", 2, "--", *self.app["transposes"]), 0, "4 of 4 rows equal",
                        "2 of 2 launches compared", "wavefronts 71,680 predicted, 71,680 measured", "barriers")
        self.assertIn("baseline 32", run.stdout)  # the program's own output
        # Without the raw page, and with launches that the file does not have.
        self.ends(self.verify("--import", DATA / "transposes.source.csv", "--", *self.app["transposes"]), 0, "4 of 4 rows equal",
                  "7 launches of the program not in the measurement")

    def test_the_page_shows_what_the_command_prints(self):
        text = (SCHEMAS.parents[2] / "docs" / "verify.md").read_text()
        example = text[text.index("<!-- example -->"):text.index("<!-- end of example -->")].split("```")[1].partition("\n")[2].strip().splitlines()
        words = example[0].removeprefix("$ lanebank verify ").split()
        for name in ("transposes.source.csv", "transposes.raw.csv"):
            (self.folder / name).symlink_to(DATA / name)
        (self.folder / "transposes").symlink_to(self.app["transposes"][0])
        self.assertEqual(self.verify(*words).stderr.strip().splitlines(), example[1:])

    def test_copies(self):
        self.ends(self.verify(*self.pages("copies"), "--", *self.app["copies"]), 0, "0 unexplained")

    def test_a_saved_prediction_takes_the_place_of_the_program(self):
        subprocess.run([LANEBANK, "run", "--json", self.folder / "p.json", "--", *map(str, self.app["transposes"])], capture_output=True, timeout=100)
        self.ends(self.verify("--prediction", "p.json", *self.pages("transposes"), "-k", "tr", "-c", 1), 0, "2 of 2 rows equal")
        self.ends(self.verify("--prediction", "p.json", "--import", DATA / "transposes.source.csv", "-k", "regex:tr", "-c", 2), 0, "4 of 4 rows equal")
        self.ends(self.verify("--prediction", "p.json", *self.pages("transposes"), "-k", "vec4"), 121)
        self.ends(self.verify("--prediction", "p.json", *self.pages("transposes")), 0, "4 of 4 rows equal")

    def test_a_measurement_that_differs_is_a_finding(self):
        text = (DATA / "transposes.source.csv").read_text().replace('"65536","2048"', '"32768","2048"')
        (self.folder / "other.csv").write_text(text)
        self.ends(self.verify("--import", "other.csv", "--", *self.app["transposes"]), 120, "unexplained: wavefronts", "1 unexplained")

    def test_a_program_that_launches_nothing_or_fails(self):
        self.ends(self.verify(*self.pages("copies"), "--", "true"), 121, "true: launched no kernel under lanebank")
        self.ends(self.verify(*self.pages("copies"), "--", "false"), 1, "false: ended with 1 and launched no kernel")

    def test_another_program(self):
        self.ends(self.verify(*self.pages("copies"), "--", *self.app["atomics"]), 122, "the program did not launch it under lanebank")


def check(document):
    try:
        import jsonschema
    except ImportError:
        return
    schema = json.loads((SCHEMAS / "verify-1.schema.json").read_text())
    jsonschema.validate(document, schema)


if __name__ == "__main__":
    LANEBANK, DATA, SCHEMAS = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if sys.argv[4:5] == ["--programs"]:
        PROGRAMS = Path(sys.argv[5])
    unittest.main(argv=sys.argv[:1])
