"""One kernel from its machine code, on NumPy arrays."""
from __future__ import annotations

import ctypes
import json
import os
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _native
from ._errors import CannotAnalyse, UsageError
from ._report import Report

Extent = int | Sequence[int]


def _extent(value: Extent, name: str) -> list[int]:
    numbers = [value] if isinstance(value, (int, np.integer)) else list(value)
    if not 1 <= len(numbers) <= 3 or not all(isinstance(n, (int, np.integer)) and 0 < n < 2**32 for n in numbers):
        raise UsageError(f"{name}: one to three whole numbers above 0 are needed, not {value!r}")
    return [int(number) for number in numbers] + [1] * (3 - len(numbers))


def _integer(value: int, size: int, where: str) -> bytes:
    for signed in (True, False):
        try:
            return value.to_bytes(size, "little", signed=signed)
        except OverflowError:
            pass
    raise UsageError(f"{where}: {value} does not fit into the {size} bytes of its parameter")


def _value(value: Any, size: int, where: str) -> bytes:
    """The bytes of a parameter of `size` bytes."""
    if value is None:
        content = bytes(8)  # a null pointer
    elif isinstance(value, np.generic):
        content = value.tobytes()
    elif isinstance(value, int):  # bool too
        return _integer(int(value), size, where)
    elif isinstance(value, float):
        if size not in (4, 8):
            raise UsageError(f"{where}: a float has 4 or 8 bytes, its parameter {size}; give a NumPy scalar")
        return struct.pack("<f" if size == 4 else "<d", value)
    elif isinstance(value, (bytes, ctypes.Structure, ctypes._SimpleCData)):
        content = bytes(value)
    else:
        raise UsageError(f"{where}: {type(value).__name__} is none of array, number, None, bytes, ctypes structure")
    if len(content) != size:
        raise UsageError(f"{where}: {value!r} has {len(content)} bytes, its parameter {size}")
    return content


class _Buffers:
    """Arrays as the kernel's buffers. Arrays that lie within an earlier one point into its buffer."""

    def __init__(self) -> None:
        self.arguments: list[Any] = []
        self.arrays: list[tuple[np.ndarray, bytearray]] = []
        self.places: list[tuple[int, int, int]] = []  # first byte, one past the last, argument

    def add(self, array: np.ndarray, where: str) -> None:
        if array.dtype.hasobject:
            raise UsageError(f"{where}: an array of Python objects is no memory of a kernel")
        begin, end = np.lib.array_utils.byte_bounds(array) if hasattr(np.lib, "array_utils") else np.byte_bounds(array)
        for first, last, argument in self.places:
            if begin < last and first < end:
                if begin < first or end > last or not array.flags.c_contiguous:
                    raise UsageError(f"{where}: overlaps argument {argument} in part; pass the array that holds both first")
                self.arguments.append((argument, begin - first))
                return
        content = bytearray(array.tobytes())  # in C order
        if array.flags.c_contiguous and array.size:
            self.places.append((begin, end, len(self.arguments)))
        self.arguments.append(content)
        self.arrays.append((array, content))

    def copy_back(self) -> None:
        for array, content in self.arrays:
            if array.flags.writeable and array.size:
                array[...] = np.frombuffer(bytes(content), dtype=array.dtype).reshape(array.shape)


def launch(code: bytes, kernel: str, grid: Extent, block: Extent, args: Sequence[Any] = (), shared: int = 0, *,
           cluster: Extent | None = None, cooperative: bool = False, checks: str = "all", jobs: int = 0,
           all_instructions: bool = False, source_root: str | os.PathLike[str] | None = None) -> Report:
    """Runs one kernel in this process and returns what it cost and what is wrong with it.

    code      a cubin, as Triton (`compiled.asm["cubin"]`), CuPy, NVRTC or `nvcc -cubin` make it; a fatbin; or PTX text, where ptxas is
              on PATH
    kernel    its name: mangled, as the source has it ("transpose<32>"), or any beginning of that; "" for the only one
    grid      blocks, block: threads; one to three numbers each
    args      one for each parameter:
                NumPy array    a pointer to its content; the kernel's writes are in the array afterwards, unless it is read-only.
                               An array that lies within an earlier one points into the same memory
                int, float     as many bytes as the parameter has
                NumPy scalar, bytes, ctypes structure    exactly its bytes
                None           a null pointer
    shared    bytes of dynamic shared memory
    checks    "all", "none" (conflicts only) or names of rules, as `lanebank run --checks`
    jobs      threads; 0: all cores, 1: reproducible to the bit
    source_root   source files below it are named from there

    The report has one launch and, as `stdout`, what the kernel printed; `exit_code` is that of `lanebank run` (120: findings). Raises
    UsageError for a launch that was asked for wrongly, CannotAnalyse where lanebank does not know an instruction or the kernel was stopped.
    """
    if not isinstance(code, (bytes, bytearray, memoryview)):
        raise UsageError(f"code: bytes are needed, not {type(code).__name__}")
    if not 0 <= shared < 2**32:
        raise UsageError(f"shared: {shared} bytes")
    if not 0 <= jobs < 2**32:
        raise UsageError(f"jobs: {jobs} threads")
    extents = _extent(grid, "grid"), _extent(block, "block"), [0, 0, 0] if cluster is None else _extent(cluster, "cluster")
    root = "" if source_root is None else os.path.abspath(source_root)
    try:
        launcher = _native.Launcher(bytes(code), "code", jobs, checks, all_instructions, os.environ.get("PATH", ""))
        symbol, sizes = launcher.kernel(kernel)
        if len(args) != len(sizes):
            raise UsageError(f"{symbol} takes {len(sizes)} arguments, of {sizes} bytes, not {len(args)}")
        buffers = _Buffers()
        for number, (value, size) in enumerate(zip(args, sizes)):
            where = f"argument {number} of {symbol}"
            if isinstance(value, np.ndarray):
                buffers.add(value, where)
            else:
                buffers.arguments.append(_value(value, size, where))
        code_of_end, text, words, printed = launcher.launch(symbol, *extents, shared, cooperative, buffers.arguments, root)
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(str(error)) from None
    buffers.copy_back()
    report = Report.from_json(json.loads(text), code_of_end, words, printed)
    if code_of_end == CannotAnalyse.exit_code:
        reasons = [f"{row['where']}: {row['what']}\n  {row['remedy']}" for row in report.problems]
        reasons += [launch.fault["message"] for launch in report.launches if launch.fault]
        raise CannotAnalyse("\n".join(reasons), report)
    return report
