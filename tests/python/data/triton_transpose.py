"""A Triton kernel, compiled for sm_90 without a GPU. `remake.sh` beside it writes triton_transpose_sm90.cubin."""
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def transpose(source, target, n, SIDE: tl.constexpr):
    rows = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    columns = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    tile = tl.load(source + rows[:, None] * n + columns[None, :])
    tl.store(target + columns[:, None] * n + rows[None, :], tl.trans(tile))


description = ASTSource(fn=transpose, signature={"source": "*fp32", "target": "*fp32", "n": "i32", "SIDE": "constexpr"},
                        constexprs={"SIDE": 64})
compiled = triton.compile(description, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
print(f"shared {compiled.metadata.shared}, warps {compiled.metadata.num_warps}, Triton {triton.__version__}")
with open(sys.argv[1], "wb") as file:
    file.write(compiled.asm["cubin"])
