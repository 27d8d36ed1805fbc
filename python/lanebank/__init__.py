"""lanebank: shared-memory bank conflicts of CUDA programs and kernels, without a GPU.

    run(["./app", "1024"])             a whole program; what `lanebank run` reports
    launch(cubin, "kernel", ...)       one kernel that Triton, CuPy or nvcc compiled, on NumPy arrays
    wavefronts(addresses, ...)         what access patterns cost
    solve(problem)                     the best layout for access patterns, with proof and code

Everything is counted as Nsight Compute's source page counts it on an H200.
"""
from typing import TYPE_CHECKING

from ._errors import CannotAnalyse, Error, UsageError
from ._report import Counts, Finding, Instruction, Launch, Report
from ._run import command, include_dir, run

if TYPE_CHECKING:
    from ._launch import launch
    from ._model import solve, wavefronts

__all__ = ["CannotAnalyse", "Counts", "Error", "Finding", "Instruction", "Launch", "Report", "UsageError", "command",
           "include_dir", "launch", "run", "solve", "wavefronts"]


def __getattr__(name: str):
    """What needs NumPy and the C++ module is loaded when it is asked for: the console script starts without them."""
    if name == "launch":
        from ._launch import launch
        return launch
    if name in ("solve", "wavefronts"):
        from . import _model
        return getattr(_model, name)
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version
        try:
            return version("lanebank")
        except PackageNotFoundError:  # a build tree
            from . import _native
            return _native.version
    raise AttributeError(f"module 'lanebank' has no attribute '{name}'")
