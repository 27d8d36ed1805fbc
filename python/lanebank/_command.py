"""The command in this package, as `lanebank` of the console and for `run`."""
import os
import sys
from pathlib import Path

#: What `cmake --install` lays down: bin, lib, include, share.
ROOT = Path(__file__).absolute().parent / "_root"


def path() -> str:
    """The lanebank command that belongs to this package."""
    return str(ROOT / "bin" / "lanebank")


def main() -> None:
    """The console script: becomes the command."""
    try:
        os.execv(path(), ["lanebank", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"lanebank: {path()}: {error.strerror}\n  Install the package again: pip install --force-reinstall lanebank")
