#!/usr/bin/env python3
"""What PyTorch takes for what the kernels of lanebank do, by the rules of gpu_bench.cuh: L2 overwritten before each sample, 30
samples in turn with a copy of the same array, medians.

    bench/gpu/bench_pytorch.py [--quick]

stdout, CSV:  family,case,contender,bytes,ms,GBps,of_peer     of_peer: the copy's time / PyTorch's; none for the matrix product
              target,<what>,<figure>,                         at the end: the least fraction of copy; no goal of ours
"""
import statistics
import subprocess
import sys

import torch

SAMPLES = 10 if "--quick" in sys.argv[1:] else 30
least = {}


def milliseconds(calls):
    """The median time of each call, the calls run in turn."""
    flush = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.uint8, device="cuda")
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(SAMPLES):
        for call, taken in zip(calls, times):
            flush.zero_()
            torch.cuda._sleep(200000)  # the launch itself is not in the sample
            begin.record()
            call()
            end.record()
            end.synchronize()
            taken.append(begin.elapsed_time(end))
    return [statistics.median(taken) for taken in times]


def measure(family, case, moved, call, target, copied=None):
    """Rows of PyTorch and of a copy of `copied`, an array of which `moved` bytes are read and written."""
    calls = [call]
    if copied is not None:
        to = torch.empty_like(copied)
        calls.append(lambda: to.copy_(copied))
    took = milliseconds(calls)
    names = ["PyTorch", "copy"]
    copy = took[1] * moved / (2 * copied.numel() * copied.element_size()) if copied is not None else None
    for name, ms, its in zip(names, took, [moved, 2 * copied.numel() * copied.element_size() if copied is not None else 0]):
        fraction = "" if copy is None else f"{1.0 if name == 'copy' else copy / ms:.3f}"
        print(f'{family},"{case}",{name},{its},{ms:.5f},{its / ms * 1e-6:.0f},{fraction}', flush=True)
    if copy is not None:
        least[target] = min(least.get(target, 9.0), copy / took[0])
    return took[0]


def numbers(shape, dtype):
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, device="cuda", dtype=torch.float32 if dtype != torch.complex64 else dtype).to(dtype)
    return torch.randint(0, 100, shape, device="cuda", dtype=dtype)


def transposes():
    for size, dtype in ((1, torch.int8), (2, torch.bfloat16), (4, torch.float32), (8, torch.float64), (16, torch.complex128)):
        rows, columns = 16384, 16384 * 2 // max(size, 2)
        x = torch.zeros((rows, columns), dtype=dtype, device="cuda")
        y = torch.empty((columns, rows), dtype=dtype, device="cuda")
        measure("transpose", f"aligned {size} B {rows}x{columns}", 2 * x.numel() * size, lambda: y.copy_(x.t()),
                f"PyTorch transpose {size} B of copy", x)


def permutes():
    """The first of the patterns of bench_permute: of each rank from 3 to 6."""
    for size, shape, order in ((4, (3875, 111, 156), (2, 0, 1)), (2, (9, 116, 1020, 126), (3, 2, 0, 1)),
                               (8, (18, 16, 5, 136, 154), (2, 0, 4, 1, 3)), (4, (38, 17, 15, 10, 6, 112), (5, 2, 4, 3, 1, 0))):
        x = torch.zeros(shape, dtype={2: torch.bfloat16, 4: torch.float32, 8: torch.float64}[size], device="cuda")
        y = torch.empty([shape[axis] for axis in order], dtype=x.dtype, device="cuda")
        name = f"{size} B [{' '.join(map(str, shape))}] by {''.join(map(str, order))}"
        measure("permute", name, 2 * x.numel() * size, lambda: y.copy_(x.permute(order)), "PyTorch permute of copy", x)


def products():
    for n in (4096, 8192):
        a, b = numbers((n, n), torch.bfloat16), numbers((n, n), torch.bfloat16)
        c = torch.empty((n, n), dtype=torch.bfloat16, device="cuda")
        ms = measure("gemm", f"{n} A*B^T", 6 * n * n, lambda: torch.matmul(a, b.t(), out=c), "")
        least[f"PyTorch matrix product bf16 {n}, TFLOP/s"] = 2 * n**3 / ms * 1e-9


def sums_and_counts():
    x = numbers((1 << 28,), torch.float32)
    out = torch.empty_like(x)
    measure("reduce", "sum float 2^28", 4 << 28, lambda: torch.sum(x), "PyTorch sum of copy", x)
    measure("scan", "inclusive float 2^28", 8 << 28, lambda: torch.cumsum(x, 0, out=out), "PyTorch cumsum of copy", x)
    whole = torch.randint(0, 100, (1 << 28,), device="cuda", dtype=torch.int32)
    sums = torch.empty_like(whole)
    measure("scan", "inclusive int 2^28", 8 << 28, lambda: torch.cumsum(whole, 0, dtype=torch.int32, out=sums),
            "PyTorch cumsum of copy", whole)
    for name, data in (("uniform", torch.randint(0, 256, (1 << 28,), device="cuda", dtype=torch.uint8)),
                       ("one value", torch.full((1 << 28,), 7, device="cuda", dtype=torch.uint8))):
        measure("histogram", f"{name} 2^28, bincount", 1 << 28, lambda: torch.bincount(data, minlength=256),
                "PyTorch bincount of copy", data)
    measure("histogram", "256 bins of floats 2^28, histc", 4 << 28, lambda: torch.histc(x, 256, -4, 4),
            "PyTorch histc of copy", x)


def transforms():
    for n in (16, 64, 256, 1024, 4096):
        x = numbers(((1 << 27) // n, n), torch.complex64)
        measure("fft", f"N {n}", 16 << 27, lambda: torch.fft.fft(x), "PyTorch fft of copy", x)
        del x


print(f"# PyTorch {torch.__version__}, {torch.cuda.get_device_name(0)}")
print("# driver, SM clock, memory clock, power, limit: " + subprocess.run(
    ["nvidia-smi", "--query-gpu=driver_version,clocks.sm,clocks.mem,power.draw,power.limit", "--format=csv,noheader"],
    capture_output=True, text=True).stdout.strip())
print("family,case,contender,bytes,ms,GBps,of_peer")
for part in (transposes, permutes, products, sums_and_counts, transforms):
    part()
    torch.cuda.empty_cache()
for what, figure in least.items():
    print(f'target,"{what}",{figure:.3f},')
