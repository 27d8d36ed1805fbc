"""What went wrong in lanebank itself. Findings are no errors: they are in the report."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._report import Report


class Error(Exception):
    """lanebank could not do what was asked; the text says what, where and what to do."""

    #: As the command would end: 122 or 125.
    exit_code = 125


class CannotAnalyse(Error):
    """No usable machine code, or an instruction or call that lanebank does not know (exit code 122)."""

    exit_code = 122

    def __init__(self, message: str, report: Report | None = None):
        super().__init__(message)
        #: What was counted all the same.
        self.report = report


class UsageError(Error, ValueError):
    """An option, a path or an argument that cannot be used (exit code 125)."""
