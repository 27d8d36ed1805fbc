#!/usr/bin/env python3
"""One small PTX kernel per instruction that CUDA C++ reaches only through asm: matrix products of every
type and shape, asynchronous copies, mbarriers, tensor maps, wgmma, textures' neighbours.

    instructions_ptx.py ARCH FOLDER [PTXAS] [-v]

assembles all of them, and those of ptx_families.py, for one architecture (75, 80, 86, 89, 90a) to FOLDER/ptx_ARCH_*.cubin.
Kernels that ptxas rejects for that architecture are dropped; -v lists them.
"""
import re
import subprocess
import sys
import tempfile

import ptx_families


def registers(kind, count):
    return "{" + ", ".join(f"%{kind}{i}" for i in range(count)) + "}"


def matrix_products():
    """mma.sync: (shape, D, A, B, C types; registers of D, A, B, C; further suffixes)."""
    half, single, double, word = "h", "f", "d", "r"

    def line(text, d, a, b, c):
        (dk, dn), (ak, an), (bk, bn), (ck, cn) = d, a, b, c

        def group(kind, count, base):
            return "{" + ", ".join(f"%{kind}{base + i}" for i in range(count)) + "}"
        return f"{text} {group(dk, dn, 0)}, {group(ak, an, 8)}, {group(bk, bn, 20)}, {group(ck, cn, 0)}"

    for a_layout in ("row", "col"):
        for b_layout in ("row", "col"):
            layouts = f"{a_layout}.{b_layout}"
            yield line(f"mma.sync.aligned.m8n8k4.{layouts}.f16.f16.f16.f16", ("r", 4), ("r", 2), ("r", 2), ("r", 4))
            yield line(f"mma.sync.aligned.m8n8k4.{layouts}.f32.f16.f16.f32", ("f", 8), ("r", 2), ("r", 2), ("f", 8))
            yield line(f"mma.sync.aligned.m8n8k4.{layouts}.f32.f16.f16.f16", ("f", 8), ("r", 2), ("r", 2), ("r", 4))
    prefix = "mma.sync.aligned"
    for shape, an, bn in (("m16n8k8", 2, 1), ("m16n8k16", 4, 2)):
        yield line(f"{prefix}.{shape}.row.col.f16.f16.f16.f16", ("r", 2), ("r", an), ("r", bn), ("r", 2))
        yield line(f"{prefix}.{shape}.row.col.f32.f16.f16.f32", ("f", 4), ("r", an), ("r", bn), ("f", 4))
        yield line(f"{prefix}.{shape}.row.col.f32.bf16.bf16.f32", ("f", 4), ("r", an), ("r", bn), ("f", 4))
    for shape, an, bn in (("m16n8k4", 2, 1), ("m16n8k8", 4, 2)):
        yield line(f"{prefix}.{shape}.row.col.f32.tf32.tf32.f32", ("f", 4), ("r", an), ("r", bn), ("f", 4))
    for types in ("e4m3.e4m3", "e4m3.e5m2", "e5m2.e4m3", "e5m2.e5m2"):
        for shape, an, bn in (("m16n8k16", 2, 1), ("m16n8k32", 4, 2)):
            yield line(f"{prefix}.{shape}.row.col.f32.{types}.f32", ("f", 4), ("r", an), ("r", bn), ("f", 4))
            yield line(f"{prefix}.{shape}.row.col.f16.{types}.f16", ("r", 2), ("r", an), ("r", bn), ("r", 2))
    for satisfy in ("", ".satfinite"):
        for a in ("s8", "u8"):
            for b in ("s8", "u8"):
                for shape, an, bn, cn in (("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4)):
                    yield line(f"{prefix}.{shape}.row.col{satisfy}.s32.{a}.{b}.s32", ("r", cn), ("r", an), ("r", bn), ("r", cn))
        for a in ("s4", "u4"):
            for b in ("s4", "u4"):
                for shape, an, bn, cn in (("m8n8k32", 1, 1, 2), ("m16n8k32", 2, 1, 4), ("m16n8k64", 4, 2, 4)):
                    yield line(f"{prefix}.{shape}.row.col{satisfy}.s32.{a}.{b}.s32", ("r", cn), ("r", an), ("r", bn), ("r", cn))
    for operation in ("xor.popc", "and.popc"):
        for shape, an, bn, cn in (("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)):
            yield line(f"{prefix}.{shape}.row.col.s32.b1.b1.s32.{operation}", ("r", cn), ("r", an), ("r", bn), ("r", cn))
    for shape, an, bn, cn in (("m8n8k4", 1, 1, 2), ("m16n8k4", 2, 1, 4), ("m16n8k8", 4, 2, 4), ("m16n8k16", 8, 4, 4)):
        yield line(f"{prefix}.{shape}.row.col.f64.f64.f64.f64", ("d", cn), ("d", an), ("d", bn), ("d", cn))
    for rounding in ("rz", "rm", "rp"):
        yield line(f"{prefix}.m8n8k4.row.col.{rounding}.f64.f64.f64.f64", ("d", 2), ("d", 1), ("d", 1), ("d", 2))
    for selector in (0, 1, 2, 3):
        for sparse in ("sp", "sp::ordered_metadata"):
            stem = f"mma.{sparse}.sync.aligned"
            end = f", %r30, {selector}"
            for shape, an, bn in (("m16n8k16", 2, 2), ("m16n8k32", 4, 4)):
                yield line(f"{stem}.{shape}.row.col.f32.f16.f16.f32", ("f", 4), ("r", an), ("r", bn), ("f", 4)) + end
                yield line(f"{stem}.{shape}.row.col.f16.f16.f16.f16", ("r", 2), ("r", an), ("r", bn), ("r", 2)) + end
                yield line(f"{stem}.{shape}.row.col.f32.bf16.bf16.f32", ("f", 4), ("r", an), ("r", bn), ("f", 4)) + end
            for shape, an, bn in (("m16n8k8", 2, 2), ("m16n8k16", 4, 4)):
                yield line(f"{stem}.{shape}.row.col.f32.tf32.tf32.f32", ("f", 4), ("r", an), ("r", bn), ("f", 4)) + end
            for shape, an, bn, types in (("m16n8k32", 2, 2, "s8.u8"), ("m16n8k64", 4, 4, "s8.s8"), ("m16n8k64", 2, 2, "u4.s4"), ("m16n8k128", 4, 4, "s4.s4")):
                yield line(f"{stem}.{shape}.row.col.s32.{types}.s32", ("r", 4), ("r", an), ("r", bn), ("r", 4)) + end
            yield line(f"{stem}.m16n8k64.row.col.f32.e4m3.e5m2.f32", ("f", 4), ("r", 4), ("r", 4), ("f", 4)) + end
    yield "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1"
    for count, names in ((1, "{%r0}"), (2, "{%r0, %r1}"), (4, "{%r0, %r1, %r2, %r3}")):
        for trans in ("", ".trans"):
            yield f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {names}, [%r9]"
            yield f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {names}, [%r9+272]"
            yield f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {names}, [shared+48]"
            yield f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%r9], {names}"
            yield f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%r9+4096], {names}"


def warpgroup_products():
    def accumulators(kind, count):
        return "{" + ", ".join(f"%{kind}{i}" for i in range(count)) + "}"

    wait = "wgmma.fence.sync.aligned; {}; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0"
    a_registers = "{%r120, %r121, %r122, %r123}"
    for n in (8, 16, 24, 64, 96, 128, 192, 256):
        for types, k in (("f16.f16", 16), ("bf16.bf16", 16)):
            for a in ("%l0", a_registers):
                for scale in ("p0, 1, 1", "1, -1, 1", "0, 1, -1", "!p0, -1, -1"):
                    scale = scale.replace("p0", "%p0") if "p0" in scale else scale
                    transposes = (", 0, 0", ", 1, 1", ", 0, 1") if a == "%l0" else (", 0", ", 1")
                    if n > 16:
                        transposes = transposes[:1]
                    for transpose in transposes:
                        flag = scale.split(",")[0]
                        setup = "" if "p0" in scale else f"setp.ne.b32 %p1, {flag}, 0; "
                        use = scale if "p0" in scale else "%p1" + scale[len(flag):]
                        use = use.replace("!%p0", "%p0")
                        for d, kind, count in (("f32", "f", n // 2), ("f16", "r", n // 4)):
                            if types == "bf16.bf16" and d == "f16" or kind == "r" and n > 128:
                                continue
                            yield setup + wait.format(f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{types} {accumulators(kind, count)}, {a}, %l1, {use}{transpose}")
        for a in ("%l0", a_registers):
            yield wait.format(f"wgmma.mma_async.sync.aligned.m64n{n}k8.f32.tf32.tf32 {accumulators('f', n // 2)}, {a}, %l1, %p0, 1, 1")
            for types in ("e4m3.e4m3", "e4m3.e5m2", "e5m2.e4m3", "e5m2.e5m2"):
                yield wait.format(f"wgmma.mma_async.sync.aligned.m64n{n}k32.f32.{types} {accumulators('f', n // 2)}, {a}, %l1, %p0, 1, 1")
                if n <= 128:
                    yield wait.format(f"wgmma.mma_async.sync.aligned.m64n{n}k32.f16.{types} {accumulators('r', n // 4)}, {a}, %l1, %p0, 1, 1")
            if n not in (8, 16, 24, 64, 96, 192, 128):
                continue
            for types in ("s8.s8", "s8.u8", "u8.s8", "u8.u8"):
                for satisfy in ("", ".satfinite"):
                    if n <= 128:
                        yield wait.format(f"wgmma.mma_async.sync.aligned.m64n{n}k32.s32.{types}{satisfy} {accumulators('r', n // 2)}, {a}, %l1, %p0")
            if n <= 128:
                yield wait.format(f"wgmma.mma_async.sync.aligned.m64n{n}k256.s32.b1.b1.and.popc {accumulators('r', n // 2)}, {a}, %l1, %p0")
        if n <= 64:
            for a in ("%l0", a_registers):
                for selector in (0, 1):
                    tail = ", 0, 0" if a == "%l0" else ", 0"
                    yield wait.format(f"wgmma.mma_async.sp.sync.aligned.m64n{n}k32.f32.f16.f16 {accumulators('f', n // 2)}, {a}, %l1, %r127, {selector}, %p0, 1, 1{tail}")
                    yield wait.format(f"wgmma.mma_async.sp.sync.aligned.m64n{n}k16.f32.tf32.tf32 {accumulators('f', n // 2)}, {a}, %l1, %r127, {selector}, %p0, 1, 1")
                    if n != 24:
                        yield wait.format(f"wgmma.mma_async.sp.sync.aligned.m64n{n}k64.s32.s8.s8 {accumulators('r', n // 2)}, {a}, %l1, %r127, 0, %p0")
                    yield wait.format(f"wgmma.mma_async.sp.sync.aligned.m64n{n}k64.f32.e4m3.e4m3 {accumulators('f', n // 2)}, {a}, %l1, %r127, 0, %p0, 1, 1")
    yield "wgmma.wait_group.sync.aligned 3"


def asynchronous_copies():
    for size in (4, 8, 16):
        for cache in ("ca", "cg"):
            for hint in ("", ".L2::64B", ".L2::128B", ".L2::256B"):
                yield f"cp.async.{cache}.shared.global{hint} [%r9], [%l9], {size}"
            yield f"cp.async.{cache}.shared.global [%r9+64], [%l9+1040], {size}"
            yield f"cp.async.{cache}.shared.global [%r9], [%l9], {size}, %r10"
            yield f"cp.async.{cache}.shared.global [shared+16], [%l9], {size}, %p0"
            yield f"cp.async.{cache}.shared.global.L2::cache_hint [%r9], [%l9], {size}, %l3"
    yield "cp.async.commit_group"
    yield "cp.async.wait_group 3"
    yield "cp.async.wait_all"
    yield "cp.async.mbarrier.arrive.shared.b64 [%r9]"
    yield "cp.async.mbarrier.arrive.noinc.shared.b64 [%r9+8]"
    bulk = "cp.async.bulk"
    for hint, policy in (("", ""), (".L2::cache_hint", ", %l3")):
        yield f"{bulk}.shared::cluster.global.mbarrier::complete_tx::bytes{hint} [%r9], [%l9], %r10, [%r11]{policy}"
        yield f"{bulk}.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{hint} [%r9], [%l9], %r10, [%r11], %h0{policy}"
        yield f"{bulk}.global.shared::cta.bulk_group{hint} [%l9], [%r9], %r10{policy}"
        yield f"{bulk}.prefetch.L2.global{hint} [%l9], %r10{policy}"
        for operation, types in (("add", "u32 s32 u64 f16 bf16 f32 f64"), ("min", "u32 s32 u64 s64 f16 bf16"), ("max", "u32 s32 u64 s64 f16 bf16"),
                                 ("inc", "u32"), ("dec", "u32"), ("and", "b32 b64"), ("or", "b32 b64"), ("xor", "b32 b64")):
            for kind in types.split():
                noftz = ".noftz" if kind in ("f16", "bf16") and operation == "add" else ""
                yield f"cp.reduce.async.bulk.global.shared::cta.bulk_group{hint}.{operation}{noftz}.{kind} [%l9], [%r9], %r10{policy}"
    yield f"{bulk}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r9], [%r12], %r10, [%r11]"
    for operation, types in (("add", "u32 s32 u64"), ("min", "u32 s32"), ("max", "u32 s32"), ("inc", "u32"), ("dec", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")):
        for kind in types.split():
            yield f"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{operation}.{kind} [%r9], [%r12], %r10, [%r11]"
    yield f"{bulk}.commit_group"
    for read in ("", ".read"):
        yield f"{bulk}.wait_group{read} 0"
        yield f"{bulk}.wait_group{read} 5"
    for dimensions in range(1, 6):
        at = "[%l9, {" + ", ".join(f"%r{20 + i}" for i in range(dimensions)) + "}]"
        for hint, policy in (("", ""), (".L2::cache_hint", ", %l3")):
            for cast, mask in (("", ""), (".multicast::cluster", ", %h0")):
                yield f"{bulk}.tensor.{dimensions}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes{cast}{hint} [%r9], {at}, [%r11]{mask}{policy}"
                if dimensions >= 3:
                    offsets = "{" + ", ".join(f"%h{1 + i}" for i in range(dimensions - 2)) + "}"
                    yield f"{bulk}.tensor.{dimensions}d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes{cast}{hint} [%r9], {at}, [%r11], {offsets}{mask}{policy}"
            yield f"{bulk}.tensor.{dimensions}d.global.shared::cta.tile.bulk_group{hint} {at}, [%r9]{policy}"
            yield f"{bulk}.prefetch.tensor.{dimensions}d.L2.global.tile{hint} {at}{policy}"
            if dimensions >= 3:
                offsets = "{" + ", ".join(f"%h{1 + i}" for i in range(dimensions - 2)) + "}"
                yield f"{bulk}.tensor.{dimensions}d.global.shared::cta.im2col_no_offs.bulk_group{hint} {at}, [%r9]{policy}"
                yield f"{bulk}.prefetch.tensor.{dimensions}d.L2.global.im2col{hint} {at}, {offsets}{policy}"
            for operation in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
                yield f"cp.reduce.async.bulk.tensor.{dimensions}d.global.shared::cta.{operation}.tile.bulk_group{hint} {at}, [%r9]{policy}"
    yield "prefetch.tensormap [%l9]"
    yield "fence.proxy.tensormap::generic.acquire.gpu [%l9], 128"
    yield "fence.proxy.tensormap::generic.release.gpu"
    yield "tensormap.replace.tile.global_address.global.b1024.b64 [%l9], %l3"
    yield "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r9], 3"
    yield "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%l9], [%r9], 128"
    for proxy in ("alias", "async", "async.global", "async.shared::cta"):
        yield f"fence.proxy.{proxy}"
    yield "fence.mbarrier_init.release.cluster"
    for scope in ("cta", "cluster", "gpu", "sys"):
        for order in ("sc", "acq_rel"):
            yield f"fence.{order}.{scope}"
        for state in ("global", "shared", "shared::cta"):
            address = "[%l9]" if state == "global" else "[%r9]"
            yield f"ld.acquire.{scope}.{state}.u32 %r0, {address}"
            yield f"st.release.{scope}.{state}.u32 {address}, %r0"
            yield f"ld.relaxed.{scope}.{state}.v2.u32 {{%r0, %r1}}, {address}"
            yield f"atom.acq_rel.{scope}.{state}.add.u32 %r0, {address}, %r1"
            yield f"red.release.{scope}.{state}.max.s32 {address}, %r1"


def mbarriers():
    for state, at in ((".shared", "[%r9]"), (".shared", "[%r9+24]"), (".shared", "[shared+8]")):
        yield f"mbarrier.init{state}.b64 {at}, %r10"
        yield f"mbarrier.init{state}.b64 {at}, 32"
        yield f"mbarrier.inval{state}.b64 {at}"
        yield f"mbarrier.arrive{state}.b64 %l0, {at}"
        yield f"mbarrier.arrive{state}.b64 _, {at}, %r10"
        yield f"mbarrier.arrive.noComplete{state}.b64 %l0, {at}, %r10"
        yield f"mbarrier.arrive_drop{state}.b64 %l0, {at}"
        yield f"mbarrier.arrive_drop.noComplete{state}.b64 %l0, {at}, 3"
        yield f"mbarrier.test_wait{state}.b64 %p0, {at}, %l0"
        yield f"mbarrier.test_wait.parity{state}.b64 %p0, {at}, %r10"
        yield f"mbarrier.try_wait{state}.b64 %p0, {at}, %l0"
        yield f"mbarrier.try_wait{state}.b64 %p0, {at}, %l0, %r10"
        yield f"mbarrier.try_wait.parity{state}.b64 %p0, {at}, 1"
        yield f"mbarrier.pending_count.b64 %r0, %l0"
        yield f"mbarrier.arrive.expect_tx{state}.b64 %l0, {at}, %r10"
        yield f"mbarrier.arrive_drop.expect_tx{state}.b64 %l0, {at}, %r10"
        yield f"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 {at}, %r10"
        yield f"mbarrier.complete_tx.relaxed.cta.shared::cta.b64 {at}, %r10"
        yield f"mbarrier.arrive.release.cluster.shared::cluster.b64 _, {at}"
        yield f"mbarrier.arrive.release.cluster.shared::cluster.b64 _, {at}, %r10"
        yield f"mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, {at}, %r10"
        yield f"mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, {at}"
        yield f"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 {at}, 64"
        yield f"mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 {at}, 64"
    yield "mbarrier.arrive.b64 %l0, [%l9]"
    yield "mbarrier.try_wait.parity.b64 %p0, [%l9], %r3"
    for kind, operations in (("u32", "inc dec min max add"), ("s32", "min max add"), ("b32", "and or xor"), ("u64", "add")):
        for operation in operations.split():
            value = "%l0" if kind == "u64" else "%r0"
            yield f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{operation}.{kind} [%r9], {value}, [%r11]"
    for kind, value in (("b32", "%r0"), ("b64", "%l0"), ("v2.b32", "{%r0, %r1}"), ("v4.b32", "{%r0, %r1, %r2, %r3}")):
        yield f"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.{kind} [%r9], {value}, [%r11]"


def scalar():
    for operation in ("add", "sub", "mul"):
        for rounding in ("rn", "rz", "rm", "rp"):
            yield f"{operation}.{rounding}.ftz.f32 %f0, %f1, %f2"
            yield f"{operation}.{rounding}.ftz.sat.f32 %f0, %f1, %f2"
    for rounding in ("rn", "rz", "rm", "rp"):
        yield f"fma.{rounding}.ftz.sat.f32 %f0, %f1, %f2, %f3"
        for target in ("s32", "u32", "s16", "u16", "s8", "u8", "s64", "u64"):
            kind = {"64": "l", "32": "r", "16": "h", "8": "r"}[target[1:]]
            integer = {"rn": "rni", "rz": "rzi", "rm": "rmi", "rp": "rpi"}[rounding]
            yield f"cvt.{integer}.ftz.{target}.f32 %{kind}0, %f1"
            yield f"cvt.{integer}.{target}.f64 %{kind}0, %d1"
            yield f"cvt.{integer}.{target}.f16 %{kind}0, %h1"
            yield f"cvt.{rounding}.f32.{target} %f0, %{kind}1"
            yield f"cvt.{rounding}.f64.{target} %d0, %{kind}1"
            yield f"cvt.{rounding}.f16.{target} %h0, %{kind}1"
            yield f"cvt.{rounding}.bf16.{target} %h0, %{kind}1"
        yield f"cvt.{rounding}.ftz.f32.f64 %f0, %d1"
        yield f"cvt.{rounding}.sat.f32.f64 %f0, %d1"
        yield f"cvt.{rounding}.f16.f64 %h0, %d1"
        yield f"cvt.{rounding}.f16.f32 %h0, %f1"
        yield f"cvt.{rounding}.bf16.f32 %h0, %f1"
        yield f"cvt.{rounding}.relu.bf16x2.f32 %r0, %f1, %f2"
        yield f"cvt.{rounding}.f16x2.f32 %r0, %f1, %f2"
        yield f"cvt.{rounding}.satfinite.f16x2.f32 %r0, %f1, %f2"
        yield f"cvt.{rounding}i.f32.f32 %f0, %f1"
        yield f"cvt.{rounding}i.ftz.sat.f32.f32 %f0, %f1"
        yield f"cvt.{rounding}i.f64.f64 %d0, %d1"
        yield f"cvt.{rounding}i.f16.f16 %h0, %h1"
        yield f"sqrt.{rounding}.ftz.f32 %f0, %f1"
        yield f"rcp.{rounding}.f64 %d0, %d1"
        yield f"div.{rounding}.f64 %d0, %d1, %d2"
    for source in ("s32", "u32", "s16", "u16", "s64", "u64"):
        for target in ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64"):
            kind = {"64": "l", "32": "r", "16": "h", "8": "r"}
            yield f"cvt.sat.{target}.{source} %{kind[target[1:]]}0, %{kind[source[1:]]}1"
    yield "cvt.rna.tf32.f32 %r0, %f1"
    yield "cvt.rn.satfinite.relu.tf32.f32 %r0, %f1"
    for kind in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            yield f"cvt.rn.satfinite{relu}.{kind}.f32 %h0, %f1, %f2"
            yield f"cvt.rn.satfinite{relu}.{kind}.f16x2 %h0, %r1"
            yield f"cvt.rn{relu}.f16x2.{kind} %r0, %h1"
    for operation in ("sin", "cos", "ex2", "lg2", "rcp", "rsqrt", "sqrt", "tanh"):
        for ftz in ("", ".ftz"):
            yield f"{operation}.approx{ftz}.f32 %f0, %f1"
            yield f"{operation}.approx{ftz}.f32 %f0, -1.5"
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        register = "r" if kind.endswith("x2") else "h"
        yield f"tanh.approx.{kind} %{register}0, %{register}1"
        yield f"ex2.approx.{kind} %{register}0, %{register}1"
        yield f"ex2.approx.ftz.{kind} %{register}0, %{register}1"
        for operation in ("min", "max"):
            for nan in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                yield f"{operation}{nan}.{kind} %{register}0, %{register}1, %{register}2"
        for suffix in ("", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu", ".oob", ".oob.relu"):
            yield f"fma.rn{suffix}.{kind} %{register}0, %{register}1, %{register}2, %{register}3"
            yield f"add.rn{suffix}.{kind} %{register}0, %{register}1, %{register}2"
            yield f"mul.rn{suffix}.{kind} %{register}0, %{register}1, %{register}2"
        for compare in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
            if kind.endswith("x2"):
                yield f"setp.{compare}.{kind} %p0|%p1, %r1, %r2"
                yield f"set.{compare}.{kind[:-2]}x2.{kind} %r0, %r1, %r2"
                yield f"set.{compare}.u32.{kind} %r0, %r1, %r2"
            else:
                yield f"setp.{compare}.and.{kind} %p0|%p1, %h1, %h2, %p2"
                yield f"set.{compare}.or.f32.{kind} %f0, %h1, %h2, !%p2"
    for operation in ("min", "max"):
        for nan in ("", ".NaN", ".ftz", ".xorsign.abs", ".ftz.NaN.xorsign.abs"):
            yield f"{operation}{nan}.f32 %f0, %f1, %f2"
            yield f"{operation}{nan}.f32 %f0, %f1, 2.5"
    for compare in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"):
        for combine in ("and", "or", "xor"):
            yield f"setp.{compare}.{combine}.ftz.f32 %p0|%p1, %f1, %f2, !%p2"
            yield f"setp.{compare}.{combine}.f64 %p0|%p1, %d1, %d2, %p2"
        yield f"set.{compare}.u32.f32 %r0, %f1, %f2"
        yield f"set.{compare}.ftz.f32.f32 %f0, %f1, %f2"
        yield f"set.{compare}.xor.f32.f64 %f0, %d1, %d2, %p2"
    for compare in ("eq", "ne", "lt", "le", "gt", "ge"):
        for kind, register in (("s32", "r"), ("u32", "r"), ("s64", "l"), ("u64", "l"), ("s16", "h")):
            yield f"setp.{compare}.xor.{kind} %p0|%p1, %{register}1, %{register}2, !%p2"
            yield f"set.{compare}.u32.{kind} %r0, %{register}1, %{register}2"
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield f"prmt.b32{mode} %r0, %r1, %r2, %r3"
    for table in (0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1b):
        yield f"lop3.b32 %r0, %r1, %r2, %r3, {table}"
        yield f"lop3.or.b32 %r0|%p0, %r1, %r2, %r3, {table}, %p1"
        yield f"lop3.and.b32 _|%p0, %r1, %r2, 77, {table}, %p1"
    for shift in ("l", "r"):
        for mode in ("wrap", "clamp"):
            yield f"shf.{shift}.{mode}.b32 %r0, %r1, %r2, %r3"
            yield f"shf.{shift}.{mode}.b32 %r0, %r1, %r2, 11"
    for kind in ("s32", "u32", "b32", "s64", "u64", "b64"):
        register = "l" if "64" in kind else "r"
        yield f"bfe.{kind.replace('b', 'u')} %{register}0, %{register}1, %r2, %r3"
        yield f"bfind.{kind.replace('b', 'u')} %r0, %{register}1"
        yield f"bfind.shiftamt.{kind.replace('b', 's')} %r0, %{register}1"
    yield "bfi.b32 %r0, %r1, %r2, %r3, %r4"
    for mode in ("clamp", "wrap"):
        yield f"bmsk.{mode}.b32 %r0, %r1, %r2"
        yield f"bmsk.{mode}.b32 %r0, %r1, 7"
        for kind in ("s32", "u32"):
            yield f"szext.{mode}.{kind} %r0, %r1, %r2"
            yield f"szext.{mode}.{kind} %r0, %r1, 9"
    for a in ("s32", "u32"):
        for b in ("s32", "u32"):
            yield f"dp4a.{a}.{b} %r0, %r1, %r2, %r3"
            yield f"dp4a.{a}.{b} %r0, %r1, 77777, %r3"
            yield f"dp2a.lo.{a}.{b} %r0, %r1, %r2, %r3"
            yield f"dp2a.hi.{a}.{b} %r0, %r1, %r2, %r3"
    yield "mad.hi.sat.s32 %r0, %r1, %r2, %r3"
    yield "mad.hi.u32 %r0, %r1, %r2, %r3"
    yield "mad24.hi.u32 %r0, %r1, %r2, %r3"
    yield "add.sat.s32 %r0, %r1, %r2"
    yield "sub.sat.s32 %r0, %r1, %r2"
    yield "add.cc.u32 %r0, %r1, %r2; addc.cc.u32 %r3, %r4, %r5; addc.u32 %r6, %r7, 0"
    yield "sub.cc.u32 %r0, %r1, %r2; subc.cc.u32 %r3, %r4, %r5; subc.u32 %r6, %r7, 0"
    yield "mad.lo.cc.u32 %r0, %r1, %r2, %r3; madc.hi.cc.u32 %r4, %r1, %r2, %r5; madc.lo.u32 %r6, %r1, %r2, %r7"
    for operation in ("min", "max"):
        for kind in ("s16x2", "u16x2"):
            yield f"{operation}.{kind} %r0, %r1, %r2"
        yield f"{operation}.relu.s16x2 %r0, %r1, %r2"
        yield f"{operation}.relu.s32 %r0, %r1, %r2"
    yield "add.u16x2 %r0, %r1, %r2"
    yield "testp.subnormal.f32 %p0, %f1"
    yield "testp.finite.f64 %p0, %d1"
    yield "copysign.f64 %d0, %d1, %d2"
    yield "isspacep.shared %p0, %l1"
    yield "isspacep.shared::cluster %p0, %l1"
    for vote in ("all", "any", "uni"):
        yield f"vote.sync.{vote}.pred %p0, !%p1, %r1"
    for combine in ("and", "or", "xor"):
        yield f"{combine}.pred %p0, %p1, %p2; not.pred %p3, %p0; selp.b32 %r0, 3, %r4, %p3"
    yield "nanosleep.u32 %r1"
    yield "slct.s32.f32 %r0, %r1, %r2, %f3"
    yield "ld.param.u64 %l0, [parameter]; ld.global.nc.v4.u32 {%r0, %r1, %r2, %r3}, [%l0]; st.global.v4.u32 [%l0], {%r3, %r2, %r1, %r0}"
    yield "ld.const.u32 %r0, [constant+8]; ld.const.v4.u32 {%r1, %r2, %r3, %r4}, [%l1]; ld.const.u8 %r5, [%l2+5]; ld.const.s16 %r6, [%l2]; ld.const.u64 %l0, [%l2+8]"
    yield "activemask.b32 %r0"
    yield "brkpt"
    yield "trap"
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        register = "r" if kind.endswith("x2") else "h"
        yield f"atom.global.add.noftz.{kind} %{register}0, [%l9], %{register}1"
        yield f"red.global.add.noftz.{kind} [%l9], %{register}1"
        yield f"atom.shared.add.noftz.{kind} %{register}0, [%r9], %{register}1"
        yield f"atom.add.noftz.{kind} %{register}0, [%l9], %{register}1"
        for operation in ("min", "max", "add"):
            yield f"red.global.{operation}.noftz.v4.{kind} [%l9], {{%{register}1, %{register}2, %{register}3, %{register}4}}"
            yield f"atom.global.{operation}.noftz.v2.{kind} {{%{register}0, %{register}1}}, [%l9], {{%{register}1, %{register}2}}"
    yield "atom.global.cas.b128 %q0, [%l9], %q1, %q2"
    yield "atom.global.exch.b128 %q0, [%l9], %q1"
    yield "atom.shared.cas.b64 %l0, [%r9], %l1, %l2"
    yield "atom.global.cas.b16 %h0, [%l9], %h1, %h2"
    for state, at in (("global", "[%l9+16]"), ("shared", "[%r9+16]"), ("shared", "[shared+4]")):
        for operation, kinds in (("add", "u32 u64 s32 f32 f64"), ("and", "b32 b64"), ("or", "b32 b64"), ("xor", "b32 b64"), ("inc", "u32"), ("dec", "u32"),
                                 ("min", "u32 s32 u64 s64"), ("max", "u32 s32 u64 s64"), ("exch", "b32 b64")):
            for kind in kinds.split():
                register = {"f32": "f", "f64": "d"}.get(kind, "l" if "64" in kind else "r")
                yield f"atom.{state}.{operation}.{kind} %{register}0, {at}, %{register}1"
                yield f"atom.{state}.cta.{operation}.{kind} %{register}0, {at}, %{register}1"
                if operation != "exch":
                    yield f"red.{state}.sys.{operation}.{kind} {at}, %{register}1"
    for pixel in ("1d", "2d", "3d"):
        for kind, name in (("v4.u32", "r"), ("v4.f32", "f")):
            coordinate = {"1d": "{%r20}", "2d": "{%r20, %r21}", "3d": "{%r20, %r21, %r22, %r23}"}[pixel]
            real = coordinate.replace("%r", "%f")
            yield f"tex.{pixel}.{kind}.s32 {{%{name}0, %{name}1, %{name}2, %{name}3}}, [%l9, {coordinate}]"
            yield f"tex.{pixel}.{kind}.f32 {{%{name}0, %{name}1, %{name}2, %{name}3}}, [%l9, {real}]"
            yield f"tex.level.{pixel}.{kind}.f32 {{%{name}0, %{name}1, %{name}2, %{name}3}}, [%l9, {real}], %f30"
            if pixel == "2d":
                yield f"tld4.r.2d.{kind}.f32 {{%{name}0, %{name}1, %{name}2, %{name}3}}, [%l9, {real}]"
        for clamp in ("trap", "clamp", "zero"):
            yield f"suld.b.{pixel}.v4.b32.{clamp} {{%r0, %r1, %r2, %r3}}, [%l9, {coordinate}]"
            yield f"sust.b.{pixel}.b32.{clamp} [%l9, {coordinate}], %r0"
            yield f"sured.b.{pixel}.add.u32.{clamp} [%l9, {coordinate}], %r0"
        yield f"sust.b.{pixel}.b8.trap [%l9, {coordinate}], %h0"
    yield "txq.width.b32 %r0, [%l9]"
    yield "istypep.texref %p0, %l9"


def kernel(number, instruction):
    """Loads every register that the instruction names, runs it, stores every register again."""
    names = sorted(set(re.findall(r"%([rfdhlqp])(\d+)", instruction)), key=lambda name: (name[0], int(name[1])))
    kinds = {"r": "b32", "f": "f32", "d": "f64", "h": "b16", "l": "b64", "q": "b128", "p": "pred"}
    sizes = {"r": 4, "f": 4, "d": 8, "h": 2, "l": 8, "q": 16, "p": 4}
    text = [f".visible .entry k{number}(.param .u64 parameter) {{"]
    text += [f".reg .{kind} %{name}<128>;" for name, kind in kinds.items() if name != "q"]
    if any(kind == "q" for kind, _ in names):
        text += [".reg .b128 %q<8>;", ".reg .b64 %high;"]
    text += [".reg .b64 %base;", ".reg .b32 %scratch;", "ld.param.u64 %base, [parameter];"]
    load, store, offset = [], [], 0
    for kind, index in names:
        offset = (offset + sizes[kind] - 1) // sizes[kind] * sizes[kind]
        register = f"%{kind}{index}"
        if kind == "p":
            load.append(f"ld.global.b32 %scratch, [%base+{offset}]; setp.ne.b32 {register}, %scratch, 0;")
            store.append(f"selp.b32 %scratch, 1, 0, {register}; st.global.b32 [%base+{offset + 8192}], %scratch;")
        elif kind == "q":
            load.append(f"ld.global.v2.b64 {{%l100, %l101}}, [%base+{offset}]; mov.b128 {register}, {{%l100, %l101}};")
            store.append(f"mov.b128 {{%l100, %l101}}, {register}; st.global.v2.b64 [%base+{offset + 8192}], {{%l100, %l101}};")
        else:
            load.append(f"ld.global.{kinds[kind]} {register}, [%base+{offset}];")
            store.append(f"st.global.{kinds[kind]} [%base+{offset + 8192}], {register};")
        offset += sizes[kind]
    return "\n".join(text + load) + f"\n{instruction};\n" + "\n".join(store) + "\nret;\n}\n"


def everything():
    families = (scalar, matrix_products, asynchronous_copies, mbarriers, warpgroup_products) + ptx_families.FAMILIES
    return [instruction for family in families for instruction in family()]


def assemble(architecture, instructions, out, ptxas):
    """Assembles what ptxas takes of `instructions` (number, text); gives the numbers it did not take, with its message."""
    header = (f".version 9.0\n.target sm_{architecture}\n.address_size 64\n.shared .align 128 .b8 shared[4096];\n"
              ".const .align 16 .b8 constant[4096];\n")
    alive, dropped = list(instructions), {}
    while alive:
        owner, text = {}, header
        for number, instruction in alive:
            start = text.count("\n") + 1
            text += kernel(number, instruction)
            for line in range(start, text.count("\n") + 1):
                owner[line] = number
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(text)
            file.flush()
            run = subprocess.run([ptxas, f"-arch=sm_{architecture}", "-O3", file.name, "-o", out], capture_output=True, text=True)
        if run.returncode == 0:
            break
        said = run.stdout + run.stderr
        messages = re.findall(r"line (\d+);\s*(?:fatal|error)\s*:\s*(.*)", said)
        bad = {owner[int(line)]: message for line, message in messages if int(line) in owner}
        if not bad:
            bad = {int(number): "rejected" for number in re.findall(r"'k(\d+)'", said)}
        if not bad and len(alive) > 1:  # ptxas does not say which: find out by halves
            middle = len(alive) // 2
            for part in (alive[:middle], alive[middle:]):
                bad.update(assemble(architecture, part, out, ptxas))
        if not bad:
            bad = {alive[0][0]: said.strip().splitlines()[-1] if said.strip() else f"ptxas ended with {run.returncode}"}
        dropped.update(bad)
        alive = [(number, instruction) for number, instruction in alive if number not in dropped]
    return dropped


def main():
    architecture, folder = sys.argv[1], sys.argv[2]
    ptxas = sys.argv[3] if len(sys.argv) > 3 and sys.argv[3] != "-v" else "ptxas"
    instructions = list(enumerate(everything()))
    dropped, size = {}, 200
    for n in range(0, len(instructions), size):
        dropped.update(assemble(architecture, instructions[n:n + size], f"{folder}/ptx_{architecture}_{n // size:02}.cubin", ptxas))
    print(f"{len(instructions) - len(dropped)} kernels, {len(dropped)} rejected")
    if "-v" in sys.argv:
        for number, message in sorted(dropped.items()):
            print(message, "|", instructions[number][1][:150])


if __name__ == "__main__":
    main()
