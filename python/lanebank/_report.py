"""A report (lanebank.report/1, docs/report-format.md) as Python objects."""
from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any


def _known(kind, values: dict[str, Any]) -> dict[str, Any]:
    """What of `values` the data class has; version 1 of the report may gain keys."""
    names = {item.name for item in fields(kind)} - {"json"}
    return {key: value for key, value in values.items() if key in names}


@dataclass(frozen=True)
class Counts:
    """Sums over the shared-memory instructions of a launch or report."""

    executed: int = 0
    wavefronts: int = 0
    ideal: int = 0
    #: wavefronts - ideal
    excess: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.executed + other.executed, self.wavefronts + other.wavefronts, self.ideal + other.ideal,
                      self.excess + other.excess)


@dataclass(frozen=True)
class Instruction:
    """A shared-memory instruction of a kernel, counted. `wavefronts`, `ideal` and `worst_degree` are None unless `modelled`."""

    address: int
    sass: str
    kind: str
    bits: int
    file: str
    line: int
    array: str
    executed: int
    threads: int
    modelled: bool
    timing_dependent: bool
    wavefronts: int | None
    ideal: int | None
    worst_degree: int | None
    function: str = ""
    json: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def excess(self) -> int:
        """Wavefronts above the ideal; 0 where they are not modelled."""
        return 0 if self.wavefronts is None or self.ideal is None else self.wavefronts - self.ideal


@dataclass(frozen=True)
class Launch:
    """One launch of one kernel."""

    id: int
    kernel: str
    symbol: str
    arch: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    static_shared_bytes: int
    dynamic_shared_bytes: int
    warp_instructions: int
    conflict_rate: float
    shared: Counts
    measured: bool
    instructions: tuple[Instruction, ...]
    process: int = 0
    fault: dict[str, Any] | None = None
    json: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Launch:
        known = _known(cls, values)
        known["grid"], known["block"] = tuple(values["grid"]), tuple(values["block"])
        known["shared"] = Counts(**_known(Counts, values["shared"]))
        known["instructions"] = tuple(Instruction(**_known(Instruction, row), json=row) for row in values["instructions"])
        return cls(**known, json=values)


@dataclass(frozen=True)
class Finding:
    """What an analysis says: a rule, a place, a reason and what to do."""

    rule: str
    severity: str
    message: str
    file: str
    line: int
    launch: int
    address: int
    kernel: str = ""
    function: str = ""
    evidence: dict[str, Any] = field(default_factory=dict, repr=False)
    suggestion: dict[str, Any] = field(default_factory=dict)
    json: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Finding:
        return cls(**_known(cls, values), json=values)

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        cure = self.suggestion.get("text", "")
        return f"{place}{self.severity}: {self.message} [{self.rule}]" + (f"\n  {cure}" if cure else "")


@dataclass(frozen=True)
class Report:
    """What a run found.

    exit_code           as `lanebank run` ended: 0, 120 (findings), 121 (nothing analysed), or the program's own
    program_exit_code   the program's own, 128 + n after signal n
    launches, findings  the kernels that ran, and what is wrong with them
    problems            what could not be analysed
    text                the report for people
    stdout, stderr      of the program, where they were captured
    json                all of it, as lanebank.report/1
    """

    exit_code: int
    program_exit_code: int
    launches: tuple[Launch, ...]
    findings: tuple[Finding, ...]
    problems: tuple[dict[str, Any], ...]
    text: str = field(default="", repr=False)
    stdout: str | None = field(default=None, repr=False)
    stderr: str | None = field(default=None, repr=False)
    json: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_json(cls, values: dict[str, Any], exit_code: int, text: str = "", stdout: str | None = None,
                  stderr: str | None = None) -> Report:
        return cls(exit_code, values["program"]["exit_code"], tuple(Launch.from_json(row) for row in values["launches"]),
                   tuple(Finding.from_json(row) for row in values["findings"]), tuple(values["problems"]), text, stdout, stderr,
                   values)

    @property
    def shared(self) -> Counts:
        """The sum over all launches."""
        return sum((launch.shared for launch in self.launches), Counts())

    @property
    def clean(self) -> bool:
        """The program succeeded, something was analysed, and nothing is wrong with it."""
        return self.exit_code == 0

    def save(self, path: str | Path) -> None:
        """Writes lanebank.report/1, for --baseline or other tools."""
        Path(path).write_text(json.dumps(self.json, indent=1) + "\n", encoding="utf-8")

    def __str__(self) -> str:
        return self.text
