"""The blocks of docs/python.md, run in order in a scratch folder; those under <!-- needs: NAME --> only where NAME is there."""
import doctest
import os
import re
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["LANEBANK_SOURCE"])
PAGE = SOURCE / "docs/python.md"
FILES = {"transposes": Path(os.environ.get("LANEBANK_TRANSPOSES", "")),
         "triton_transpose_sm90.cubin": SOURCE / "tests/python/data/triton_transpose_sm90.cubin"}


def blocks(text):
    """(line, needed file or None, source) of each Python block."""
    for match in re.finditer(r"(?:<!-- needs: (\S+) -->\n)?```python\n(.*?)```", text, re.DOTALL):
        yield text.count("\n", 0, match.start(2)), match.group(1), match.group(2)


class Page(unittest.TestCase):
    def test_every_block_does_what_it_shows(self):
        names, ran = {}, 0
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            self.addCleanup(os.chdir, here)
            for name, path in FILES.items():
                if path.is_file():
                    os.symlink(path, name)
            for line, needed, source in blocks(PAGE.read_text()):
                if needed and not FILES[needed].is_file():
                    continue
                test = doctest.DocTestParser().get_doctest(source, names, "docs/python.md", str(PAGE), line)
                said = []
                runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
                runner.run(test, out=said.append, clear_globs=False)
                names = test.globs
                self.assertEqual(runner.failures, 0, "".join(said))
                ran += runner.tries
            os.chdir(here)
        self.assertGreater(ran, 10)


if __name__ == "__main__":
    unittest.main()
