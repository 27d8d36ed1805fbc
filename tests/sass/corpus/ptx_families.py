"""The rest of the PTX ISA, for instructions_ptx.py: integers, conversions, memory, synchronisation, video instructions,
wmma, textures and surfaces, special registers. Each function gives instructions; ptxas drops what an architecture has not."""

KINDS = {"8": "r", "16": "h", "32": "r", "64": "l"}


def integers():
    def reg(kind):
        return KINDS[kind[1:]]

    for kind in ("u16", "s16", "u32", "s32", "u64", "s64"):
        r = reg(kind)
        wide = {"16": "r", "32": "l", "64": None}[kind[1:]]
        for operation in ("add", "sub", "min", "max", "div", "rem"):
            yield f"{operation}.{kind} %{r}0, %{r}1, %{r}2"
            yield f"{operation}.{kind} %{r}0, %{r}1, 7"
            yield f"{operation}.{kind} %{r}0, 5, %{r}1"
        yield f"sad.{kind} %{r}0, %{r}1, %{r}2, %{r}3"
        for part in ("lo", "hi"):
            yield f"mul.{part}.{kind} %{r}0, %{r}1, %{r}2"
            yield f"mad.{part}.{kind} %{r}0, %{r}1, %{r}2, %{r}3"
        if wide:
            yield f"mul.wide.{kind} %{wide}0, %{r}1, %{r}2"
            yield f"mul.wide.{kind} %{wide}0, %{r}1, 100"
            yield f"mad.wide.{kind} %{wide}0, %{r}1, %{r}2, %{wide}3"
        if kind[0] == "s":
            yield f"abs.{kind} %{r}0, %{r}1"
            yield f"neg.{kind} %{r}0, %{r}1"
        yield f"shr.{kind} %{r}0, %{r}1, %r2"
        yield f"shr.{kind} %{r}0, %{r}1, 3"
        for compare in ("eq", "ne", "lt", "le", "gt", "ge") + (("lo", "ls", "hi", "hs") if kind[0] == "u" else ()):
            yield f"setp.{compare}.{kind} %p0, %{r}1, %{r}2"
            yield f"set.{compare}.and.f32.{kind} %f0, %{r}1, %{r}2, %p1"
            yield f"setp.{compare}.or.{kind} %p0, %{r}1, 9, !%p1"
        yield f"selp.{kind} %{r}0, %{r}1, %{r}2, %p1"
        yield f"slct.{kind}.s32 %{r}0, %{r}1, %{r}2, %r3"
        yield f"slct.{kind}.f32 %{r}0, %{r}1, %{r}2, %f3"
    for kind in ("b16", "b32", "b64"):
        r = reg(kind)
        for operation in ("and", "or", "xor"):
            yield f"{operation}.{kind} %{r}0, %{r}1, %{r}2"
            yield f"{operation}.{kind} %{r}0, %{r}1, 0x5a"
        yield f"not.{kind} %{r}0, %{r}1"
        yield f"cnot.{kind} %{r}0, %{r}1"
        yield f"shl.{kind} %{r}0, %{r}1, %r2"
        yield f"shl.{kind} %{r}0, %{r}1, 5"
    for part in ("lo", "hi"):
        for kind in ("u32", "s32"):
            yield f"mul24.{part}.{kind} %r0, %r1, %r2"
            yield f"mad24.{part}.{kind} %r0, %r1, %r2, %r3"
    yield "mad24.hi.sat.s32 %r0, %r1, %r2, %r3"
    for kind in ("b32", "b64"):
        r = reg(kind)
        for operation in ("popc", "clz"):
            yield f"{operation}.{kind} %r0, %{r}1"
        yield f"brev.{kind} %{r}0, %{r}1"
    yield "bfi.b64 %l0, %l1, %l2, %r3, %r4"
    yield "fns.b32 %r0, %r1, %r2, %r3"
    yield "add.cc.u64 %l0, %l1, %l2; addc.cc.u64 %l3, %l4, %l5; addc.u64 %l6, %l7, 0"
    yield "sub.cc.s64 %l0, %l1, %l2; subc.cc.s64 %l3, %l4, %l5; subc.s64 %l6, %l7, 0"
    yield "mad.lo.cc.u64 %l0, %l1, %l2, %l3; madc.hi.u64 %l4, %l1, %l2, %l5"
    yield "add.s16x2 %r0, %r1, %r2"
    for kind in ("s32", "u32"):
        yield f"min.{kind} %r0, %r1, %r2; max.{kind} %r0, %r0, %r3"
        yield f"min.{kind} %r0, %r1, %r2; min.{kind} %r0, %r0, %r3"
        yield f"add.{kind} %r0, %r1, %r2; max.{kind} %r0, %r0, %r3"
        yield f"add.{kind} %r0, %r1, %r2; min.{kind} %r0, %r0, 88"


def floats():
    for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        yield f"testp.{test}.f32 %p0, %f1"
        yield f"testp.{test}.f64 %p0, %d1"
    yield "copysign.f32 %f0, %f1, %f2"
    for kind, r in (("f32", "f"), ("f64", "d")):
        for operation in ("abs", "neg"):
            for ftz in ("", ".ftz") if kind == "f32" else ("",):
                yield f"{operation}{ftz}.{kind} %{r}0, %{r}1"
        for operation in ("add", "sub", "mul", "div"):
            for rounding in ("rn", "rz", "rm", "rp"):
                yield f"{operation}.{rounding}.{kind} %{r}0, %{r}1, %{r}2"
                yield f"{operation}.{rounding}.{kind} %{r}0, %{r}1, 2.5"
        for rounding in ("rn", "rz", "rm", "rp"):
            yield f"fma.{rounding}.{kind} %{r}0, %{r}1, %{r}2, %{r}3"
            yield f"fma.{rounding}.{kind} %{r}0, %{r}1, 1.5, %{r}3"
            yield f"rcp.{rounding}.{kind} %{r}0, %{r}1"
            yield f"sqrt.{rounding}.{kind} %{r}0, %{r}1"
        yield f"selp.{kind} %{r}0, %{r}1, %{r}2, %p1"
        yield f"slct.{kind}.f32 %{r}0, %{r}1, %{r}2, %f3"
        yield f"min.{kind} %{r}0, %{r}1, %{r}2"
        yield f"max.{kind} %{r}0, %{r}1, %{r}2"
    for ftz in ("", ".ftz"):
        yield f"div.approx{ftz}.f32 %f0, %f1, %f2"
        yield f"div.full{ftz}.f32 %f0, %f1, %f2"
        yield f"div.rn{ftz}.f32 %f0, %f1, %f2"
        yield f"rcp.rn{ftz}.f32 %f0, %f1"
        yield f"fma.rn{ftz}.relu.f16 %h0, %h1, %h2, %h3"
        yield f"slct{ftz}.u32.f32 %r0, %r1, %r2, %f3"
    yield "rcp.approx.ftz.f64 %d0, %d1"
    yield "rsqrt.approx.ftz.f64 %d0, %d1"
    yield "rsqrt.approx.f64 %d0, %d1"
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        r = "r" if kind.endswith("x2") else "h"
        for operation in ("abs", "neg"):
            yield f"{operation}.{kind} %{r}0, %{r}1"
            yield f"{operation}.ftz.{kind} %{r}0, %{r}1"
        for suffix in ("", ".rn", ".ftz", ".sat", ".rn.ftz.sat"):
            for operation in ("add", "sub", "mul"):
                yield f"{operation}{suffix}.{kind} %{r}0, %{r}1, %{r}2"
    for kind in ("f16", "bf16"):
        for mode in ("", ".rn", ".rz"):
            yield f"cvt{mode}.f32.{kind} %f0, %h1"
        yield f"cvt.f64.{kind} %d0, %h1"
        yield f"cvt.rn.{kind}.f64 %h0, %d1"
        for ints in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
            r = KINDS[ints[1:]]
            yield f"cvt.rn.{kind}.{ints} %h0, %{r}1"
            yield f"cvt.rzi.{ints}.{kind} %{r}0, %h1"
            yield f"cvt.rni.sat.{ints}.{kind} %{r}0, %h1"
        yield f"cvt.rn.sat.{kind}.f32 %h0, %f1"
        yield f"cvt.rz.relu.{kind}.f32 %h0, %f1"
        yield f"cvt.rn.relu.satfinite.{kind}.f32 %h0, %f1"
        yield f"cvt.sat.f32.{kind} %f0, %h1"
        yield f"cvt.ftz.f32.{kind} %f0, %h1"
    yield "cvt.rn.bf16.f16 %h0, %h1"
    yield "cvt.rn.f16.bf16 %h0, %h1"
    for ints in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
        r = KINDS[ints[1:]]
        for kind, f in (("f32", "f"), ("f64", "d")):
            for rounding in ("rni", "rzi", "rmi", "rpi"):
                yield f"cvt.{rounding}.{ints}.{kind} %{r}0, %{f}1"
            yield f"cvt.rzi.sat.{ints}.{kind} %{r}0, %{f}1"
            yield f"cvt.rn.sat.{kind}.{ints} %{f}0, %{r}1"
        for other in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
            yield f"cvt.{ints}.{other} %{r}0, %{KINDS[other[1:]]}1"
    for mode in ("rn", "rna", "rz"):
        for relu in ("", ".relu"):
            yield f"cvt.{mode}{relu}.tf32.f32 %r0, %f1"
            yield f"cvt.{mode}{relu}.satfinite.tf32.f32 %r0, %f1"
    yield "cvt.pack.sat.s16.s32 %r0, %r1, %r2"
    yield "cvt.pack.sat.u16.s32 %r0, %r1, %r2"
    for kind in ("s8", "u8", "s4", "u4", "s2", "u2"):
        yield f"cvt.pack.sat.{kind}.s32.b32 %r0, %r1, %r2, %r3"


def memory():
    for space, at in (("", "[%l9]"), (".global", "[%l9+8]"), (".shared", "[%r9]"), (".local", "[%r9+4]"), (".const", "[%l9]"), (".shared::cluster", "[%r9]")):
        for kind in ("b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "f32", "f64"):
            r = {"f32": "f", "f64": "d"}.get(kind, KINDS[kind[1:]])
            yield f"ld{space}.{kind} %{r}0, {at}"
            yield f"ld.volatile{space}.{kind} %{r}0, {at}"
            if space != ".const":
                yield f"st{space}.{kind} {at}, %{r}0"
                yield f"st.volatile{space}.{kind} {at}, %{r}0"
            for vector in (2, 4, 8):
                names = "{" + ", ".join(f"%{r}{i}" for i in range(vector)) + "}"
                yield f"ld{space}.v{vector}.{kind} {names}, {at}"
                if space != ".const":
                    yield f"st{space}.v{vector}.{kind} {at}, {names}"
        for cache in ("ca", "cg", "cs", "lu", "cv"):
            yield f"ld{space}.{cache}.u32 %r0, {at}"
        for cache in ("wb", "cg", "cs", "wt"):
            yield f"st{space}.{cache}.u32 {at}, %r0"
    yield "ld.global.v2.b128 {%q0, %q1}, [%l9]"
    yield "ld.global.b128 %q0, [%l9]"
    yield "st.global.b128 [%l9], %q0"
    for hint in ("L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"):
        for prefetch in ("", ".L2::64B", ".L2::128B", ".L2::256B"):
            yield f"ld.global.{hint}{prefetch}.u32 %r0, [%l9]"
            yield f"ld.global.nc.{hint}{prefetch}.v4.f32 {{%f0, %f1, %f2, %f3}}, [%l9]"
        yield f"st.global.{hint}.u32 [%l9], %r0"
        yield f"ld.global.{hint}.L2::cache_hint.u32 %r0, [%l9], %l3"
        yield f"st.global.{hint}.L2::cache_hint.v2.u32 [%l9], {{%r0, %r1}}, %l3"
    for kind in ("u8", "s16", "u32", "f64"):
        r = {"f64": "d"}.get(kind, KINDS[kind[1:]])
        yield f"ld.global.nc.{kind} %{r}0, [%l9]"
        yield f"ldu.global.{kind} %{r}0, [%l9]"
        yield f"ld.mmio.relaxed.sys.global.{kind} %{r}0, [%l9]"
        yield f"st.mmio.relaxed.sys.global.{kind} [%l9], %{r}0"
    for scope in ("cta", "cluster", "gpu", "sys"):
        for kind, r in (("u8", "r"), ("u32", "r"), ("u64", "l"), ("f32", "f")):
            for order in ("relaxed", "acquire"):
                yield f"ld.{order}.{scope}.{kind} %{r}0, [%l9]"
                yield f"ld.{order}.{scope}.local.{kind} %{r}0, [%r9]"
            for order in ("relaxed", "release"):
                yield f"st.{order}.{scope}.{kind} [%l9], %{r}0"
    for level in ("L1", "L2"):
        for space in ("global", "local"):
            yield f"prefetch.{space}.{level} [{'%l9' if space == 'global' else '%r9'}]"
        yield f"prefetch.{level} [%l9]"
    yield "prefetchu.L1 [%l9]"
    yield "prefetch.global.L2::evict_last [%l9]"
    yield "prefetch.global.L2::evict_normal [%l9]"
    yield "applypriority.global.L2::evict_normal [%l9], 128"
    yield "discard.global.L2 [%l9], 128"
    for primary in ("evict_last", "evict_normal", "evict_first", "evict_unchanged"):
        yield f"createpolicy.fractional.L2::{primary}.b64 %l0, 0.5"
        yield f"createpolicy.fractional.L2::{primary}.L2::evict_first.b64 %l0, %f1"
        yield f"createpolicy.range.global.L2::{primary}.L2::evict_first.b64 %l0, [%l9], %r1, %r2"
    yield "createpolicy.cvt.L2.b64 %l0, 0x10f0000000000000"
    for space in ("const", "global", "local", "shared", "shared::cta", "shared::cluster", "param"):
        yield f"isspacep.{space} %p0, %l1"
        yield f"cvta.{space}.u64 %l0, %l1"
        yield f"cvta.to.{space}.u64 %l0, %l1"
    yield "mapa.shared::cluster.u32 %r0, %r1, %r2"
    yield "mapa.u64 %l0, %l1, %r2"
    yield "getctarank.shared::cluster.u32 %r0, %r1"
    yield "getctarank.u64 %r0, %l1"
    yield "alloca.u64 %l0, 128, 16"
    yield "stacksave.u64 %l0; alloca.u64 %l1, %l2; st.local.u32 [%l1], %r3; stackrestore.u64 %l0"
    for operation, kinds in (("add", "u32 s32 u64 f16 f16x2 bf16 bf16x2"), ("min", "u32 s32 u64 s64 f16 f16x2 bf16x2"), ("max", "u32 s32 u64 s64 f16x2"),
                             ("and", "b32 b64"), ("or", "b32 b64"), ("xor", "b32 b64")):
        for kind in kinds.split():
            r = {"f16": "h", "bf16": "h", "f16x2": "r", "bf16x2": "r"}.get(kind) or KINDS[kind[1:]]
            yield f"multimem.ld_reduce.relaxed.sys.global.{operation}.{kind} %{r}0, [%l9]"
            yield f"multimem.ld_reduce.weak.global.{operation}.{kind} %{r}0, [%l9]"
            yield f"multimem.red.release.gpu.global.{operation}.{kind} [%l9], %{r}0"
            yield f"multimem.st.relaxed.sys.global.{kind} [%l9], %{r}0"
    for kind in ("f32", "f16x2", "bf16x2"):
        r = "f" if kind == "f32" else "r"
        names = "{" + ", ".join(f"%{r}{i}" for i in range(4)) + "}"
        yield f"multimem.ld_reduce.relaxed.gpu.global.add.v4.{kind} {names}, [%l9]"
        yield f"multimem.red.relaxed.gpu.global.add.v4.{kind} [%l9], {names}"
        yield f"multimem.st.weak.global.v4.{kind} [%l9], {names}"
        yield f"multimem.ld_reduce.relaxed.gpu.global.add.acc::f32.v4.{kind} {names}, [%l9]"
    for order in ("relaxed", "acquire", "release", "acq_rel"):
        for space, at in (("", "[%l9]"), (".global", "[%l9]"), (".shared", "[%r9]"), (".shared::cluster", "[%r9]")):
            for kind, r in (("b16", "h"), ("b32", "r"), ("b64", "l")):
                yield f"atom.{order}.gpu{space}.cas.{kind} %{r}0, {at}, %{r}1, %{r}2"
                yield f"atom.{order}.sys{space}.exch.{kind} %{r}0, {at}, %{r}1"
            for operation, kinds in (("add", "u32 s32 u64 f32 f64"), ("min", "u32 s64"), ("max", "s32 u64"), ("inc", "u32"), ("dec", "u32"), ("xor", "b64")):
                for kind in kinds.split():
                    r = {"f32": "f", "f64": "d"}.get(kind) or KINDS[kind[1:]]
                    yield f"atom.{order}.cta{space}.{operation}.{kind} %{r}0, {at}, %{r}1"
                    if order in ("relaxed", "release"):
                        yield f"red.{order}.gpu{space}.{operation}.{kind} {at}, %{r}1"
    for kind in ("f32",):
        for vector in (2, 4):
            d = "{" + ", ".join(f"%f{i}" for i in range(vector)) + "}"
            a = "{" + ", ".join(f"%f{i + 4}" for i in range(vector)) + "}"
            yield f"atom.global.add.v{vector}.{kind} {d}, [%l9], {a}"
            yield f"red.global.add.v{vector}.{kind} [%l9], {a}"
    yield "atom.global.add.L2::cache_hint.u32 %r0, [%l9], %r1, %l3"
    yield "red.global.add.L2::cache_hint.u32 [%l9], %r1, %l3"
    for field in ("box_dim", "global_dim", "global_stride", "element_stride"):
        value = "%l3" if field == "global_stride" else "%r3"
        for space, at in (("global", "[%l9]"), ("shared::cta", "[%r9]")):
            yield f"tensormap.replace.tile.{field}.{space}.b1024.b{64 if value[1] == 'l' else 32} {at}, 1, {value}"
    for field, value in (("elemtype", 6), ("interleave_layout", 0), ("swizzle_mode", 3), ("fill_mode", 0)):
        yield f"tensormap.replace.tile.{field}.global.b1024.b32 [%l9], {value}"
    yield "tensormap.replace.tile.rank.global.b1024.b32 [%l9], %r3"


def synchronisation():
    for name in ("bar", "barrier"):
        for barrier in ("0", "3", "%r1"):
            yield f"{name}.sync {barrier}"
            yield f"{name}.sync {barrier}, 64"
            yield f"{name}.sync {barrier}, %r2"
            yield f"{name}.arrive {barrier}, 64"
            yield f"{name}.arrive {barrier}, %r2"
            for tail in ("", ", 96", ", %r2"):
                yield f"{name}.red.popc.u32 %r0, {barrier}{tail}, %p1"
                yield f"{name}.red.and.pred %p0, {barrier}{tail}, !%p1"
                yield f"{name}.red.or.pred %p0, {barrier}{tail}, %p1"
    yield "barrier.sync.aligned 2, 64"
    yield "bar.warp.sync 0xffffffff"
    yield "bar.warp.sync %r1"
    for order in ("", ".release", ".relaxed"):
        for aligned in ("", ".aligned"):
            yield f"barrier.cluster.arrive{order}{aligned}"
            yield f"barrier.cluster.wait{'.acquire' if order == '.release' else ''}{aligned}"
    for level in ("cta", "gl", "sys"):
        yield f"membar.{level}"
    yield "membar.proxy.alias"
    for order in ("acquire", "release"):
        yield f"fence.{order}.sync_restrict::shared::{'cluster' if order == 'acquire' else 'cta'}.cluster"
        yield f"fence.{order}.gpu"
    for mode in ("up", "down", "bfly", "idx"):
        for lane in ("%r2", "3"):
            for clamp in ("%r3", "0x1f"):
                yield f"shfl.sync.{mode}.b32 %r0|%p0, %r1, {lane}, {clamp}, %r4"
                yield f"shfl.sync.{mode}.b32 %r0, %r1, {lane}, {clamp}, -1"
    for mode in ("all", "any", "uni"):
        yield f"vote.sync.{mode}.pred %p0, %p1, 0xffff"
    yield "vote.sync.ballot.b32 %r0, %p1, %r1"
    yield "vote.sync.ballot.b32 %r0, !%p1, -1"
    for kind, r in (("b32", "r"), ("b64", "l")):
        yield f"match.any.sync.{kind} %r0, %{r}1, %r2"
        yield f"match.all.sync.{kind} %r0|%p0, %{r}1, %r2"
    for operation, kinds in (("add", "s32 u32"), ("min", "s32 u32"), ("max", "s32 u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")):
        for kind in kinds.split():
            yield f"redux.sync.{operation}.{kind} %r0, %r1, %r2"
            yield f"redux.sync.{operation}.{kind} %r0, %r1, -1"
    yield "elect.sync %r0|%p0, %r1"
    yield "elect.sync _|%p0, -1"
    yield "griddepcontrol.launch_dependents"
    yield "griddepcontrol.wait"
    yield "setmaxnreg.inc.sync.aligned.u32 232"
    yield "setmaxnreg.dec.sync.aligned.u32 40"
    yield "pmevent 3"
    yield "pmevent.mask 0xff"
    yield "nanosleep.u32 100"
    yield "exit"
    yield "@%p0 exit"
    yield "mbarrier.try_wait.acquire.cluster.shared.b64 %p0, [%r9], %l0"
    yield "mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p0, [%r9], %r1, %r2"
    yield "mbarrier.test_wait.parity.acquire.cta.shared.b64 %p0, [%r9], %r1"
    yield "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r9]"
    yield "mbarrier.arrive.relaxed.cta.shared.b64 %l0, [%r9]"


def special_registers():
    for name in ("tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z", "laneid", "warpid",
                 "nwarpid", "smid", "nsmid", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt", "clock", "clock_hi", "globaltimer_lo",
                 "globaltimer_hi", "total_smem_size", "aggr_smem_size", "dynamic_smem_size", "clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x",
                 "nclusterid.y", "nclusterid.z", "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x", "cluster_nctaid.y",
                 "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank", "pm0", "pm7", "envreg0", "envreg1", "envreg7", "envreg31", "reserved_smem_offset_begin",
                 "reserved_smem_offset_end", "reserved_smem_offset_cap", "reserved_smem_offset_0"):
        yield f"mov.u32 %r0, %{name}"
    for name in ("clock64", "globaltimer", "gridid", "pm0_64", "current_graph_exec"):
        yield f"mov.u64 %l0, %{name}"
    yield "mov.pred %p0, %is_explicit_cluster"
    yield "mov.b64 {%r0, %r1}, %l0; mov.b32 {%h0, %h1}, %r2; mov.b64 %l1, {%h2, %h3, %h4, %h5}"


def video():
    for operation in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for kinds in ("u32.u32.u32", "s32.s32.u32", "u32.s32.s32", "s32.u32.s32"):
            yield f"{operation}.{kinds} %r0, %r1, %r2"
            yield f"{operation}.{kinds}.sat %r0, %r1.b1, %r2.h0"
            yield f"{operation}.{kinds}.add %r0, %r1.h1, %r2.b3, %r3"
            yield f"{operation}.{kinds} %r0.b2, %r1, %r2, %r3"
    for operation in ("vshl", "vshr"):
        for mode in ("clamp", "wrap"):
            yield f"{operation}.u32.u32.u32.{mode} %r0, %r1, %r2"
            yield f"{operation}.s32.s32.u32.{mode}.min %r0, %r1, %r2, %r3"
    for tail in ("", ".sat", ".po", ".shr7", ".shr15"):
        yield f"vmad.u32.u32.u32{tail} %r0, %r1.h0, %r2.h1, %r3"
        yield f"vmad.s32.s32.u32{tail} %r0, %r1.b0, %r2.b1, %r3"
    for compare in ("eq", "lt", "ge"):
        yield f"vset.u32.u32.{compare} %r0, %r1, %r2"
        yield f"vset.s32.u32.{compare}.max %r0, %r1.b0, %r2.h1, %r3"
    for width, mask in (("2", ".h10"), ("4", ".b3210")):
        for operation in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            for kinds in ("u32.u32.u32", "s32.s32.s32", "u32.s32.u32"):
                yield f"{operation}{width}.{kinds} %r0, %r1, %r2, %r3"
                yield f"{operation}{width}.{kinds}.add %r0, %r1, %r2, %r3"
                yield f"{operation}{width}.{kinds}.sat %r0{mask}, %r1, %r2, %r3"
        yield f"vset{width}.u32.u32.gt %r0, %r1, %r2, %r3"
        yield f"vset{width}.s32.u32.ne.add %r0, %r1, %r2, %r3"


def wmma():
    def group(kind, count, first=0):
        return "{" + ", ".join(f"%{kind}{first + i}" for i in range(count)) + "}"

    fragments = []  # shape, matrix, type, kind, registers
    for shape in ("m16n16k16", "m8n32k16", "m32n8k16"):
        fragments += [(shape, m, "f16", "r", 8) for m in "ab"] + [(shape, m, t, k, n) for m in "cd" for t, k, n in (("f16", "r", 4), ("f32", "f", 8), ("s32", "r", 8))]
        for t in ("s8", "u8", "bf16"):
            factor = 2 if t == "bf16" else 1
            sizes = {"m16n16k16": (2, 2), "m8n32k16": (1, 4), "m32n8k16": (4, 1)}[shape]
            fragments += [(shape, "a", t, "r", sizes[0] * factor), (shape, "b", t, "r", sizes[1] * factor)]
    fragments += [("m16n16k8", m, "tf32", "r", 4) for m in "ab"] + [("m16n16k8", m, "f32", "f", 8) for m in "cd"]
    fragments += [("m8n8k4", m, "f64", "d", n) for m, n in (("a", 1), ("b", 1), ("c", 2), ("d", 2))]
    for shape, kinds in (("m8n8k32", ("s4", "u4")), ("m8n8k128", ("b1",))):
        fragments += [(shape, m, t, "r", 1) for m in "ab" for t in kinds] + [(shape, m, "s32", "r", 2) for m in "cd"]
    for shape, matrix, kind, register, count in fragments:
        for layout in ("row", "col"):
            for space, at in (("", "[%l9]"), (".global", "[%l9]"), (".shared", "[%r9]")):
                if matrix == "d":
                    yield f"wmma.store.d.sync.aligned.{layout}.{shape}{space}.{kind} {at}, {group(register, count)}, %r100"
                else:
                    yield f"wmma.load.{matrix}.sync.aligned.{layout}.{shape}{space}.{kind} {group(register, count)}, {at}, %r100"
    for a in ("row", "col"):
        for b in ("row", "col"):
            for shape in ("m16n16k16", "m8n32k16", "m32n8k16"):
                for d, dk, dn in (("f16", "r", 4), ("f32", "f", 8)):
                    for c, ck, cn in (("f16", "r", 4), ("f32", "f", 8)):
                        for tail in ("", ".satfinite"):
                            yield f"wmma.mma.sync.aligned.{a}.{b}.{shape}.{d}.{c}{tail} {group(dk, dn)}, {group('r', 8, 20)}, {group('r', 8, 30)}, {group(ck, cn, 40)}"
                sizes = {"m16n16k16": (2, 2), "m8n32k16": (1, 4), "m32n8k16": (4, 1)}[shape]
                for kind in ("s8", "u8"):
                    for tail in ("", ".satfinite"):
                        yield f"wmma.mma.sync.aligned.{a}.{b}.{shape}.s32.{kind}.{kind}.s32{tail} {group('r', 8)}, {group('r', sizes[0], 20)}, {group('r', sizes[1], 30)}, {group('r', 8, 40)}"
                yield f"wmma.mma.sync.aligned.{a}.{b}.{shape}.f32.bf16.bf16.f32 {group('f', 8)}, {group('r', 2 * sizes[0], 20)}, {group('r', 2 * sizes[1], 30)}, {group('f', 8, 40)}"
            yield f"wmma.mma.sync.aligned.{a}.{b}.m16n16k8.f32.tf32.tf32.f32 {group('f', 8)}, {group('r', 4, 20)}, {group('r', 4, 30)}, {group('f', 8, 40)}"
            for rounding in ("", ".rn", ".rz", ".rm", ".rp"):
                yield f"wmma.mma.sync.aligned.{a}.{b}.m8n8k4{rounding}.f64.f64.f64.f64 {group('d', 2)}, {group('d', 1, 20)}, {group('d', 1, 30)}, {group('d', 2, 40)}"
    for kind in ("s4", "u4"):
        for tail in ("", ".satfinite"):
            yield f"wmma.mma.sync.aligned.row.col.m8n8k32.s32.{kind}.{kind}.s32{tail} {group('r', 2)}, {group('r', 1, 20)}, {group('r', 1, 30)}, {group('r', 2, 40)}"
    for operation in ("xor.popc", "and.popc"):
        yield f"wmma.mma.{operation}.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {group('r', 2)}, {group('r', 1, 20)}, {group('r', 1, 30)}, {group('r', 2, 40)}"
    for a in ("row", "col"):
        for b in ("row", "col"):
            for types, dk, dn, ck, cn in (("f16.f16.f16.f32", "r", 4, "f", 8), ("f32.f16.f16.f16", "f", 8, "r", 4)):
                yield f"mma.sync.aligned.m8n8k4.{a}.{b}.{types} {group(dk, dn)}, {group('r', 2, 20)}, {group('r', 2, 30)}, {group(ck, cn, 40)}"
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            for space, at in (("", "[%l9]"), (".shared::cta", "[%r9+16]")):
                yield f"ldmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16 {group('r', count)}, {at}"
                yield f"stmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16 {at}, {group('r', count)}"


def textures():
    places = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4}
    for shape, count in places.items():
        array, multi = shape.startswith("a"), shape.endswith("ms")

        def at(kind):
            names = [f"%{kind}{40 + i}" for i in range(count)]
            if shape == "2dms":
                names = ["%r39"] + [f"%{kind}{40 + i}" for i in range(3)]
            elif shape == "a2dms":
                names = ["%r38", "%r39"] + [f"%{kind}{40 + i}" for i in range(2)]
            elif array:
                names = ["%r39"] + [f"%{kind}{40 + i}" for i in range(count - 1)]
            return "{" + ", ".join(names) + "}" if len(names) > 1 else "{" + names[0] + "}"
        for d, name in (("u32", "r"), ("s32", "r"), ("f32", "f"), ("f16", "h")):
            out = f"{{%{name}0, %{name}1, %{name}2, %{name}3}}"
            for kind, coordinates in (("s32", "r"), ("f32", "f")):
                if kind == "s32" and "cube" in shape or kind == "f32" and multi:
                    continue
                yield f"tex.{shape}.v4.{d}.{kind} {out}, [%l9, {at(coordinates)}]"
                yield f"tex.{shape}.v4.{d}.{kind} %{name}0|%p0, [%l9, {at(coordinates)}]" if False else f"tex.{shape}.v4.{d}.{kind} {out}|%p0, [%l9, {at(coordinates)}]"
                if multi:
                    continue
                yield f"tex.base.{shape}.v4.{d}.{kind} {out}, [%l9, {at(coordinates)}]"
                level = "%f50" if kind == "f32" else "%r50"
                yield f"tex.level.{shape}.v4.{d}.{kind} {out}, [%l9, {at(coordinates)}], {level}"
                if "cube" not in shape and d == "f32":
                    offset = {1: "{%r60}", 2: "{%r60, %r61}", 4: "{%r60, %r61, %r62, %r62}"}[places[shape.lstrip("a")]]
                    yield f"tex.{shape}.v4.{d}.{kind} {out}, [%l9, {at(coordinates)}], {offset}"
                if kind == "f32" and d == "f32":
                    if shape != "3d":
                        yield f"tex.{shape}.v4.{d}.{kind} {out}, [%l9, {at(coordinates)}], %f70" if "cube" in shape else f"tex.{shape}.v4.{d}.{kind} {out}, [%l9, {at(coordinates)}], {offset}, %f70"
                    n = {"1d": 1, "2d": 2, "3d": 4, "cube": 4}[shape.lstrip("a")]
                    one = "{" + ", ".join(f"%f{80 + i}" for i in range(n)) + "}"
                    two = "{" + ", ".join(f"%f{90 + i}" for i in range(n)) + "}"
                    yield f"tex.grad.{shape}.v4.{d}.{kind} {out}, [%l9, {at(coordinates)}], {one}, {two}"
        if shape in ("2d", "a2d", "cube", "acube"):
            for component in "rgba":
                yield f"tld4.{component}.{shape}.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [%l9, {at('f')}]"
            yield f"tld4.r.{shape}.v4.u32.f32 {{%r0, %r1, %r2, %r3}}, [%l9, {at('f')}]"
            if "cube" not in shape:
                yield f"tld4.r.{shape}.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [%l9, {at('f')}], {{%r60, %r61}}"
        if "cube" in shape or multi:
            continue
        surface = {"1d": "{%r40}", "2d": "{%r40, %r41}", "3d": "{%r40, %r41, %r42, %r43}", "a1d": "{%r39, %r40}", "a2d": "{%r39, %r40, %r41, %r42}"}[shape]
        for clamp in ("trap", "clamp", "zero"):
            for kind, r in (("b8", "h"), ("b16", "h"), ("b32", "r"), ("b64", "l")):
                for vector in (1, 2, 4):
                    if kind == "b64" and vector == 4:
                        continue
                    names = f"%{r}0" if vector == 1 else "{" + ", ".join(f"%{r}{i}" for i in range(vector)) + "}"
                    v = "" if vector == 1 else f".v{vector}"
                    one = "{" + names + "}" if vector == 1 else names
                    yield f"suld.b.{shape}{v}.{kind}.{clamp} {one}, [%l9, {surface}]"
                    yield f"sust.b.{shape}{v}.{kind}.{clamp} [%l9, {surface}], {one}"
            for vector in (1, 2, 4):
                names = "{" + ", ".join(f"%r{i}" for i in range(vector)) + "}"
                v = "" if vector == 1 else f".v{vector}"
                yield f"sust.p.{shape}{v}.b32.{clamp} [%l9, {surface}], {names}"
            if not array:
                for operation, kinds in (("add", "u32 s32 u64"), ("min", "u32 s32 u64 s64"), ("max", "u32 s32 u64 s64"), ("and", "b32 b64"), ("or", "b32 b64")):
                    for kind in kinds.split():
                        r = KINDS[kind[1:]]
                        yield f"sured.b.{operation}.{shape}.{kind}.{clamp} [%l9, {surface}], %{r}0"
                        if kind in ("u32", "s32", "b32"):
                            yield f"sured.p.{operation}.{shape}.{kind}.{clamp} [%l9, {surface}], %r0"
    for query in ("width", "height", "depth", "channel_data_type", "channel_order", "normalized_coords", "array_size", "num_mipmap_levels", "num_samples",
                  "filter_mode", "addr_mode_0"):
        yield f"txq.{query}.b32 %r0, [%l9]"
        yield f"suq.{query}.b32 %r0, [%l9]"
    yield "txq.level.width.b32 %r0, [%l9], %r1"
    yield "suq.memory_layout.b32 %r0, [%l9]"
    for kind in ("texref", "samplerref", "surfref"):
        yield f"istypep.{kind} %p0, %l1"


FAMILIES = (integers, floats, memory, synchronisation, special_registers, video, wmma, textures)
