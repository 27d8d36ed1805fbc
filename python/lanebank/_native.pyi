import numpy as np
import numpy.typing as npt

version: str

def wavefronts(addresses: npt.NDArray[np.uint32], masks: npt.NDArray[np.uint32], sources: npt.NDArray[np.uint32], instruction: str,
               width_bytes: int, architecture: int, counters: bool, wavefronts: npt.NDArray[np.uint32],
               ideal: npt.NDArray[np.uint32]) -> None: ...
def solve(problem: str, architecture: int, work: int, map: bool) -> str: ...
