"""The bank model and the solver, in this process."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._errors import UsageError

_LANES = 32
#: Names of the machine code, for those of access_names.def.
_MACHINE_NAMES = {"LDS": "ld", "STS": "st", "LDSM": "ldmatrix_x4", "STSM": "stmatrix_x4", "ATOMS": "atom_add_u32"}


def _architecture(name: str | int) -> int:
    text = str(name).removeprefix("sm_").removesuffix("a")
    if text not in ("75", "80", "86", "89", "90"):
        raise UsageError(f"arch: {name!r} is none of sm_75, sm_80, sm_86, sm_89, sm_90")
    return int(text)


def _words32(values: npt.ArrayLike, name: str) -> npt.NDArray[np.uint32]:
    """Whole numbers of 32 bits; anything else is an error, not a wrap."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise UsageError(f"{name}: whole numbers are needed, not {array.dtype}")
    if array.size and (int(array.min()) < 0 or int(array.max()) > 0xFFFFFFFF):
        raise UsageError(f"{name}: {int(array.min())} to {int(array.max())} do not fit into 32 bits")
    return np.array(array, dtype=np.uint32, order="C", ndmin=0)


def _masks(mask: npt.ArrayLike | None, shape: tuple[int, ...]) -> npt.NDArray[np.uint32]:
    if mask is None:
        return np.full(shape, 0xFFFFFFFF, dtype=np.uint32)
    array = np.asarray(mask)
    if array.dtype == bool:  # lane by lane
        if array.shape[-1:] != (_LANES,):
            raise UsageError(f"mask: booleans have a last axis of 32 lanes, not {array.shape}")
        array = (array.astype(np.uint64) << np.arange(_LANES, dtype=np.uint64)).sum(axis=-1, dtype=np.uint64)
    try:
        return np.array(np.broadcast_to(_words32(array, "mask"), shape), order="C")
    except ValueError as error:
        raise UsageError(f"mask: of shape {array.shape}, the accesses of {shape}") from error


def wavefronts(addresses: npt.ArrayLike, width_bytes: int = 4, instruction: str = "LDS", mask: npt.ArrayLike | None = None, *,
               sources: npt.ArrayLike | None = None, arch: str | int = "sm_90",
               counters: bool = False) -> tuple[Any, Any]:
    """What accesses to shared memory cost: (wavefronts, ideal).

    addresses     bytes, shape (..., 32): one row of 32 lanes for each access. Inactive lanes may hold anything
    width_bytes   per lane: 1, 2, 4, 8 or 16 (16 for rows of LDSM and STSM)
    instruction   LDS, STS, LDSM (x4), STSM (x4), ATOMS (add), or a name of `lanebank wavefronts`: ldmatrix_x2, atom_cas_b32,
                  cp_async_cg_16, ...
    mask          lanes that take part, bit i for lane i: one number, or shape (...); or booleans of shape (..., 32). All by default
    sources       asynchronous copies: bytes of global memory from a 128-byte line, shape (..., 32)
    counters      as the hardware counters have it, not ncu's source page; they differ in loads of 8 and 16 bytes

    Both results have shape (...) and type uint32, or are numbers where `addresses` is one row. Raises UsageError for misaligned addresses,
    unknown names, and accesses for which no rule is known.

        >>> lanes = np.arange(32)
        >>> wavefronts([lanes * 4, lanes * 128, lanes * 132])
        (array([ 1, 32,  1], dtype=uint32), array([1, 1, 1], dtype=uint32))
    """
    rows = _words32(addresses, "addresses")
    if rows.shape[-1:] != (_LANES,):
        raise UsageError(f"addresses: the last axis is the 32 lanes of a warp, not {rows.shape}")
    if width_bytes not in (1, 2, 4, 8, 16):
        raise UsageError(f"width_bytes: {width_bytes!r} is none of 1, 2, 4, 8, 16")
    shape = rows.shape[:-1]
    given = np.empty((0, _LANES), dtype=np.uint32) if sources is None else _words32(sources, "sources")
    if sources is not None and given.shape != rows.shape:
        raise UsageError(f"sources: of shape {given.shape}, the addresses of {rows.shape}")
    count = int(np.prod(shape, dtype=np.int64))
    result, ideal = np.empty(count, dtype=np.uint32), np.empty(count, dtype=np.uint32)
    try:
        _native.wavefronts(rows.reshape(-1, _LANES), _masks(mask, shape).reshape(-1), given.reshape(-1, _LANES),
                           _MACHINE_NAMES.get(instruction, instruction), width_bytes, _architecture(arch), counters, result, ideal)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not shape:
        return int(result[0]), int(ideal[0])
    return result.reshape(shape), ideal.reshape(shape)


def solve(problem: Mapping[str, Any], *, arch: str | int = "sm_90", work: int = 0, map: bool = False) -> dict[str, Any]:
    """The layout with the fewest wavefronts for the patterns of `problem`, with its proof and code.

    problem   lanebank.problem/1 (docs/solver.md) as a dict; its key `schema` may be left out
    work      limit of the search over linear layouts, in steps; 0: the default
    map       also the byte address of every element

    Returns lanebank.solution/1 as a dict: family, parameters, total_wavefronts, optimal, certificate, code, ...
    Raises UsageError where the problem cannot be read or solved; the text names the place.
    """
    if work < 0:
        raise UsageError(f"work: {work} is below 0")
    try:
        text = json.dumps({"schema": "lanebank.problem/1", **problem})
        return json.loads(_native.solve(text, _architecture(arch), work, map))
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
