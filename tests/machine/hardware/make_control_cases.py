#!/usr/bin/env python3
"""Short sequences for the probe (instruction_probe.hpp): branches, convergence, calls, barriers of one warp, asynchronous
copies, and instructions that must leave registers and memory alone.

    make_control_cases.py > CASES

The first word of the line names the row that the sequence proves.
"""
import itertools

PT, RZ = 7, 255


def ins(opcode, *fields, guard=PT, no_predicate=False):
    """`fields`: (first bit, end, value); the predicate source 87:90 is PT unless given."""
    word = opcode | guard << 12
    if not no_predicate and not any(first in (84, 87) and end > 87 for first, end, _ in fields):
        fields = fields + ((87, 90, PT),)
    for first, end, value in fields:
        word |= (value & (1 << end - first) - 1) << first
    return word


def negated(predicate):
    return predicate | 8


def jump(opcode, count, *fields, **more):
    """`count`: instructions to skip, from the next one on."""
    quarter = 4 * count
    return ins(opcode, (16, 24, quarter), (34, 82, quarter >> 8), *fields, **more)


def bra(count, predicate=PT, guard=PT, *fields):
    return jump(0x947, count, (87, 91, predicate), *fields, guard=guard)


def bssy(barrier, count):
    return ins(0x945, (16, 20, barrier), (34, 64, 4 * count))


def bsync(barrier, guard=PT):
    return ins(0x941, (16, 20, barrier), guard=guard)


def brk(barrier, predicate=PT, guard=PT):
    return ins(0x942, (16, 20, barrier), (87, 91, predicate), guard=guard)


def mov(d, value, guard=PT):
    return ins(0x802, (16, 24, d), (32, 64, value), (72, 76, 15), guard=guard, no_predicate=True)


def move(d, source, guard=PT):
    return ins(0x202, (16, 24, d), (32, 40, source), (72, 76, 15), guard=guard, no_predicate=True)


def add(d, a, value, guard=PT):
    return ins(0x810, (16, 24, d), (24, 32, a), (32, 64, value), (64, 72, RZ), (77, 81, 15), (81, 84, 7), (84, 87, 7),
               (87, 91, 15), guard=guard)


def subtract(d, a, b):
    return ins(0x210, (16, 24, d), (24, 32, a), (32, 40, b), (63, 64, 1), (64, 72, RZ), (77, 81, 15), (81, 84, 7),
               (84, 87, 7), (87, 91, 15))


def select(d, value, predicate):
    """d = predicate ? 0 : value"""
    return ins(0x807, (16, 24, d), (24, 32, RZ), (32, 64, value), (87, 91, predicate))


def umov(d, value):
    return ins(0x882, (16, 22, d), (32, 64, value), no_predicate=True)


def r2ur(d, a):
    return ins(0x2ca, (16, 22, d), (24, 32, a), (81, 84, 7), no_predicate=True)


def lepc(d):
    return ins(0x34e, (16, 24, d), no_predicate=True)


NOP = ins(0x918, no_predicate=True)
ZERO_PAIR = [mov(48, 0), mov(49, 0)]


def nothing_happens():
    for modifiers in range(8):
        yield "MEMBAR", "g", [ins(0x992, (79, 81, modifiers % 2), (76, 79, (0, 2, 3, 5)[modifiers // 2]),
                                  no_predicate=True)]
    yield "NOP", "-", [NOP]
    yield "FENCE", "s", [ins(0x3c6, no_predicate=True)]
    yield "FENCE", "s", [ins(0x3c6, (72, 73, 1), no_predicate=True)]
    yield "ERRBAR", "g", [ins(0x992, (79, 81, 0), (76, 79, 2), no_predicate=True), ins(0x9ab, no_predicate=True)]
    yield "CGAERRBAR", "g", [ins(0x5ab, no_predicate=True)]
    yield "ACQBULK", "-", [ins(0x82e, no_predicate=True)]
    yield "PREEXIT", "-", [ins(0x82d, no_predicate=True)]
    yield "UTMACMDFLUSH", "-", [ins(0x9b7, no_predicate=True)]
    yield "LDGDEPBAR", "-", [ins(0x9af, no_predicate=True), ins(0x91a, (47, 48, 1), no_predicate=True)]
    for count in (0, 1, 3):
        yield "DEPBAR", "-", [ins(0x9af, no_predicate=True), ins(0x91a, (47, 48, 1), (38, 44, count), no_predicate=True)]
    yield "DEPBAR", "-", [ins(0x91a, (32, 38, 0x3f), no_predicate=True)]
    yield "CCTL", "-", [ins(0x98f, (24, 32, RZ), (87, 91, 4), no_predicate=True)]
    for kind in (0, 1, 3):
        yield "CCTL", "g", [ins(0x98f, (24, 32, 24), (72, 73, 1), (87, 91, kind), no_predicate=True)]
    yield "CCTL_UR", "h", [ins(0xd8f, (24, 32, 24), (32, 38, 20), (72, 73, 1), (87, 91, 0), (91, 92, 1),
                               no_predicate=True)]
    yield "YIELD", "-", [ins(0x946)]
    yield "YIELD", "-", [ins(0x946, (87, 91, 2), guard=1)]
    yield "NANOSLEEP", "-", [ins(0x95d, (32, 64, 20))]
    yield "NANOSLEEP", "-", [ins(0x95d, (32, 64, 20), (87, 91, 2), guard=1)]
    yield "NANOSLEEP_R", "-", [mov(40, 30), ins(0x35d, (32, 40, 40))]
    yield "NANOSLEEP_U", "-", [umov(16, 30), ins(0xd5d, (32, 38, 16), (91, 92, 1))]
    yield "NANOSLEEP_C", "-", [ins(0xb5d, (54, 59, 0), (40, 54, 0x0 // 4))]
    yield "PMTRIG", "-", [ins(0x801, (32, 64, 1))]
    yield "UBLKPF", "h", [umov(12, 4), ins(0x3bc, (24, 30, 20), (64, 70, 12), (91, 92, 1), no_predicate=True)]


def branches():
    for guard, predicate in itertools.islice(itertools.product((PT, 0, negated(3)), (PT, 1, negated(2), negated(PT))), 12):
        yield "BRA", "-", [bssy(0, 2), bra(1, predicate, guard), mov(16, 0x1234), bsync(0), mov(17, 0x77)]
        yield "BSSY", "-", [bssy(3, 4), bra(2, predicate, guard), mov(16, 0x1234), bra(1), mov(18, 0x99), bsync(3),
                            mov(17, 0x77)]
    for number in range(4):
        for flip in (0, 1):
            yield "BRA_UP", "-", [jump(0x547, 1, (24, 27, number), (27, 28, flip), (32, 34, 1), (91, 92, 1)), mov(16, 0x1234)]
            yield "BRA_UP", "-", [bssy(0, 2), jump(0x547, 1, (24, 27, number), (27, 28, flip), (32, 34, 1), (91, 92, 1), guard=2),
                                  mov(16, 0x1234), bsync(0)]
    for mode in (2, 3):  # DIV, CONV: once convergent, once not
        yield "BRA", "-", [bssy(0, 2), bra(1, PT, PT, (32, 34, mode)), mov(16, 0x55), bsync(0)]
        yield "BRA", "-", [bssy(0, 4), bra(3, 1), bra(1, PT, PT, (32, 34, mode)), mov(16, 0x55), mov(17, 0x66), bsync(0)]
        yield "BRA", "-", [umov(12, 0xf), bssy(0, 4), bra(3, 1),
                           bra(1, PT, PT, (32, 34, mode), (24, 30, 12), (91, 92, 1)), mov(16, 0x55), mov(17, 0x66),
                           bsync(0)]
    # Loops: a counter in R16 down from R40 & 7, per lane.
    loop = [ins(0x812, (16, 24, 16), (24, 32, 40), (32, 64, 7), (64, 72, RZ), (72, 80, 0xc0), (81, 84, 7), (87, 91, 15)),
            mov(17, 0), bssy(0, 5), add(17, 17, 3), add(16, 16, -1),
            ins(0x80c, (24, 32, 16), (32, 64, 0), (68, 71, 7), (73, 74, 1), (76, 79, 4), (81, 84, 0), (84, 87, 7), (87, 91, 7)),
            bra(-4, PT, 0), bsync(0), mov(18, 0x31)]
    loop[2] = bssy(0, 4)
    yield "BSYNC", "-", loop
    for guard in (0, negated(1)):
        yield "BREAK", "-", [bssy(1, 8), bssy(0, 4), brk(0, PT, guard), bra(3, PT, guard), bra(0, 2), mov(16, 0x11),
                             bsync(0), mov(17, 0x22), mov(18, 0x33), bsync(1), mov(19, 0x44)]
        yield "BREAK", "-", [bssy(1, 8), bssy(0, 4), brk(0, guard), bra(3, guard), bra(0, 2), mov(16, 0x11),
                             bsync(0), mov(17, 0x22), mov(18, 0x33), bsync(1), mov(19, 0x44)]
        yield "EXIT", "-", [ins(0x94d, guard=guard), mov(16, 5)]
        yield "EXIT", "-", [ins(0x94d, (87, 91, guard), guard=3), mov(16, 5)]
        yield "EXIT", "-", [bssy(0, 3), bra(1, 1), ins(0x94d, guard=guard), bsync(0), mov(16, 5)]
    yield "BMOV_RB", "-", [bssy(0, 4), ins(0x355, (16, 24, 16), (24, 30, 0), no_predicate=True), bra(1, 1),
                           ins(0x355, (16, 24, 17), (24, 30, 0), no_predicate=True), NOP, bsync(0)]
    yield "BMOV_RB", "-", [bssy(0, 3), bra(1, 1), mov(20, 1), bsync(0),
                           ins(0x355, (16, 24, 16), (24, 30, 0), no_predicate=True)]
    yield "BMOV_RB", "-", [bssy(2, 1), ins(0x355, (16, 24, 16), (24, 30, 2), (84, 85, 1), no_predicate=True), NOP,
                           ins(0x355, (16, 24, 17), (24, 30, 2), no_predicate=True)]
    for register, guard in ((40, PT), (40, 1), (RZ, PT)):
        yield "BMOV_BR", "-", [ins(0x356, (24, 30, 3), (32, 40, register), guard=guard, no_predicate=True), NOP,
                               ins(0x355, (16, 24, 16), (24, 30, 3), no_predicate=True)]
        yield "BMOV_BI", "-", [ins(0x956, (24, 30, 3), (32, 64, 0x1234567 * (register - 39)), guard=guard,
                                   no_predicate=True), NOP, ins(0x355, (16, 24, 16), (24, 30, 3), no_predicate=True)]
        yield "BMOV_BU", "-", [ins(0xd56, (24, 30, 3), (32, 38, 16), (91, 92, 1), guard=guard, no_predicate=True), NOP,
                               ins(0x355, (16, 24, 16), (24, 30, 3), no_predicate=True)]
    for state in (24, 26):  # MEXITED, MACTIVE
        yield "BMOV_RB", "-", [ins(0x355, (16, 24, 16), (24, 30, state), no_predicate=True)]
        yield "BMOV_RB", "-", [bssy(0, 2), bra(1, 1), ins(0x355, (16, 24, 16), (24, 30, state), no_predicate=True),
                               bsync(0)]
    yield "RPCMOV", "-", [ins(0x352, (32, 40, 40), no_predicate=True), NOP, ins(0x353, (16, 24, 16), no_predicate=True)]
    yield "RPCMOV_R", "-", [ins(0x352, (32, 40, 40), (31, 32, 1), no_predicate=True), NOP,
                            ins(0x353, (16, 24, 16), (31, 32, 1), no_predicate=True)]
    yield "WARPSYNC", "-", [bssy(0, 3), bra(1, 1), mov(16, 0x51), ins(0x948), bsync(0), mov(17, 3)]
    yield "WARPSYNC_R", "-", [mov(24, -1), bssy(0, 3), bra(1, 1), mov(16, 0x51), ins(0x348, (24, 32, 24)), bsync(0)]
    yield "WARPSYNC_R", "-", [mov(24, -1), ins(0x348, (24, 32, 24)), mov(16, 9)]
    # The lanes of the mask meet inside; a vote tells who is there.
    vote = ins(0x806, (16, 24, 16), (72, 74, 1), (81, 84, 7), (87, 91, PT))
    yield "WARPSYNC_R", "-", [mov(24, -1), bssy(0, 4), bra(1, 1), mov(17, 0x51), ins(0x348, (24, 32, 24)), vote, bsync(0)]
    yield "WARPSYNC", "-", [bssy(0, 4), bra(1, 1), mov(17, 0x51), ins(0x948), vote, bsync(0)]


def jumps():
    pairs = [select(48, 32, 1), mov(49, 0)]
    yield "BRX", "-", [*pairs, bssy(0, 4), jump(0x949, 0, (24, 32, 48)), mov(16, 1), mov(17, 2), mov(18, 3), bsync(0)]
    yield "BRX", "-", [*pairs, bssy(0, 4), jump(0x949, 1, (24, 32, 48), (87, 91, 2), guard=3), mov(16, 1), mov(17, 2),
                       mov(18, 3), bsync(0)]
    for value in (0, 16, 32):
        yield "BRXU", "-", [umov(20, value), umov(21, 0), jump(0x958, 0, (24, 30, 20), (91, 92, 1)), mov(16, 1),
                            mov(17, 2), mov(18, 3)]
    yield "BRXU", "-", [umov(20, 16), umov(21, 0), bssy(0, 4), jump(0x958, 0, (24, 30, 20), (91, 92, 1), (87, 91, 1)),
                        mov(16, 1), mov(17, 2), mov(18, 3), bsync(0)]
    yield "LEPC_75", "-", [lepc(48), NOP, lepc(50), subtract(16, 50, 48), subtract(17, 51, 49), *ZERO_PAIR, mov(50, 0),
                           mov(51, 0)]
    yield "LEPC", "-", [lepc(48), ins(0x94e, (16, 24, 50), (24, 82, 0x40), no_predicate=True), subtract(16, 50, 48),
                        *ZERO_PAIR, mov(50, 0), mov(51, 0)]
    yield "LEPC", "-", [lepc(48), ins(0x94e, (16, 24, 50), (24, 82, -0x30), no_predicate=True), subtract(16, 50, 48),
                        *ZERO_PAIR, mov(50, 0), mov(51, 0)]
    # LEPC gives an address near; from it to the third move.
    here = [lepc(48), add(48, 48, 16 * 5)]
    tail = [mov(16, 1), mov(17, 2), mov(18, 3), *ZERO_PAIR]
    yield "JMX", "-", [*here, NOP, NOP, ins(0x94c, (24, 32, 48)), *tail]
    yield "JMX", "-", [lepc(48), select(50, 16, 1), add(48, 48, 16 * 6), ins(0x210, (16, 24, 48), (24, 32, 48), (32, 40, 50),
                       (64, 72, RZ), (77, 81, 15), (81, 84, 7), (84, 87, 7), (87, 91, 15)), bssy(0, 4),
                       ins(0x94c, (24, 32, 48)), mov(16, 1), mov(17, 2), mov(18, 3), bsync(0), *ZERO_PAIR, mov(50, 0)]
    yield "JMXU", "-", [*here, r2ur(20, 48), r2ur(21, 49), ins(0x959, (24, 30, 20), (91, 92, 1)), *tail, umov(20, 0),
                        umov(21, 0)]
    yield "CALL_ABS", "-", [*here, r2ur(20, 48), r2ur(21, 49), ins(0x943, (24, 30, 20), (91, 92, 1), (86, 87, 1)), *tail,
                            umov(20, 0), umov(21, 0)]
    yield "CALL_ABS_R", "-", [*here, NOP, NOP, ins(0x343, (24, 32, 48), (86, 87, 1)), *tail]
    yield "CALL_REL_R", "-", [mov(48, 16), mov(49, 0), jump(0x344, 0, (24, 32, 48), (86, 87, 1)), *tail]
    yield "CALL_REL", "-", [jump(0x944, 1, (86, 87, 1)), *tail]
    yield "CALL_REL", "-", [bssy(0, 3), jump(0x944, 1, (86, 87, 1), (87, 91, 1), guard=negated(2)), mov(16, 1), mov(17, 2),
                            bsync(0)]
    yield "RET", "-", [mov(48, 32), mov(49, 0), jump(0x950, -1, (24, 32, 48), (86, 87, 1)), *tail]
    yield "RET", "-", [*here, NOP, NOP, ins(0x950, (24, 32, 48), (85, 86, 1), (86, 87, 1)), *tail]
    # There and back: the callee stands behind a jump.
    yield "RET", "-", [mov(48, 0), mov(49, 0), jump(0x944, 2, (86, 87, 1)), mov(16, 7), bra(2), mov(17, 8),
                       jump(0x950, -4, (24, 32, 48), (86, 87, 1)), mov(18, 9)]


def barriers():
    def bar(opcode, mode, *fields, reduction=0, predicate=PT, guard=PT):
        return ins(opcode, (77, 79, mode), (74, 76, reduction), (87, 91, predicate), *fields, guard=guard)
    yield "BAR_II", "-", [bar(0xb1d, 0, (80, 81, 1)), mov(16, 3)]
    yield "BAR_II", "-", [bar(0xb1d, 0, (42, 54, 32)), mov(16, 3)]
    yield "BAR_II", "-", [bar(0xb1d, 1, (42, 54, 64)), mov(16, 3), bar(0xb1d, 0, (42, 54, 64))]
    yield "BAR_R", "-", [mov(40, 0), bar(0x31d, 0, (32, 40, 40)), mov(16, 3)]
    yield "BAR_R", "-", [mov(40, 32 << 16), bar(0x31d, 0, (32, 40, 40)), mov(16, 3)]
    yield "BAR_RI", "-", [mov(40, 0), bar(0x51d, 0, (32, 40, 40), (42, 54, 32)), mov(16, 3)]
    yield "BAR_IR", "-", [mov(40, 32), bar(0x91d, 0, (32, 40, 40)), mov(16, 3)]
    for reduction in range(3):
        for predicate in (0, negated(4), PT, negated(PT)):
            yield "B2R", "-", [bar(0xb1d, 2, reduction=reduction, predicate=predicate), NOP,
                               ins(0x31c, (16, 24, 16), (78, 79, 1), (81, 84, 2), no_predicate=True)]
    yield "BAR_RI", "-", [mov(40, 0), bar(0x51d, 2, (32, 40, 40), (42, 54, 32), reduction=0, predicate=5), NOP,
                          ins(0x31c, (16, 24, 16), (78, 79, 1), (81, 84, 7), no_predicate=True)]
    yield "B2R", "-", [bar(0xb1d, 2, reduction=0, predicate=0), NOP,
                       ins(0x31c, (16, 24, 16), (78, 79, 1), (81, 84, 7), no_predicate=True, guard=1)]


def copies():
    # R24:25 global, R16 the same offset in shared memory; R6 holds the base's low word.
    shared = [ins(0x810, (16, 24, 16), (24, 32, 24), (32, 64, 0x400), (64, 72, 6), (75, 76, 1), (77, 81, 15), (81, 84, 7),
                  (84, 87, 7), (87, 91, 15))]
    wait = [ins(0x9af, no_predicate=True), ins(0x91a, (47, 48, 1), no_predicate=True)]
    for kind, bypass, zero, predicate in itertools.product((4, 5, 6), (0, 1), (0, 1), (PT, 1, negated(2))):
        if bypass and kind != 6:
            continue
        flags = ((70, 71, 1), (73, 76, kind), (76, 77, 1), (81, 82, 1 - bypass), (82, 83, zero), (84, 87, 1),
                 (87, 91, predicate), (91, 92, 1))
        yield "LDGSTS", "g", [*shared, ins(0xfae, (16, 24, 16), (24, 32, 24), (64, 70, 30), *flags), *wait]
        yield "LDGSTS", "g", [*shared, ins(0xfae, (16, 24, 16), (24, 32, 24), (64, 70, 30), (32, 44, 64), (44, 64, -64),
                                           *flags, guard=3), *wait]


def memory_barriers():
    def exch(d, offset=0, source=16):
        return ins(0x5b2, (16, 22, d), (24, 30, 12), (32, 38, source), (40, 64, offset), (72, 73, 1), (91, 92, 1),
                   no_predicate=True)

    # The unit keeps barriers in a cache of its own: written back, they can be read.
    back = [ins(0x9b1, (24, 32, RZ), (64, 70, 12), (72, 73, 1), (91, 92, 1), no_predicate=True), NOP, NOP]

    def arrive(kind, register, *fields, guard=PT, d=16):
        return ins(0x9a7, (16, 24, d), (24, 32, RZ), (32, 40, register), (64, 70, 12), (84, 87, kind), (91, 92, 1),
                   *fields, guard=guard, no_predicate=True)

    def init(count):
        value = 0x100000 - count
        return [umov(16, value << 1 & 0xffffffff), umov(17, value << 11 & 0xffffffff)]
    phase = [ins(0x5a7, (24, 32, RZ), (32, 40, 40), (64, 70, 12), (81, 84, 3), (91, 92, 1), no_predicate=True)]
    yield "SYNCS_EXCH", "d", [ins(0x5b2, (16, 22, 8), (24, 30, 12), (32, 38, 16), (72, 73, 1), (91, 92, 1),
                                  no_predicate=True), *back]
    yield "SYNCS_EXCH", "d", [exch(8), exch(10, 0, 20), *back]
    red, opt_out = (74, 75, 1), (75, 76, 1)
    for count in (1, 31, 32, 40, 64):
        start = [*init(count), exch(8)]
        yield "SYNCS_ARRIVE", "d", [*start, arrive(1, RZ), *back]
        yield "SYNCS_ARRIVE", "d", [*start, arrive(1, RZ, guard=2), *back]
        yield "SYNCS_ARRIVE", "d", [*start, arrive(1, RZ, red, d=RZ), *back]
        yield "SYNCS_ARRIVE", "d", [*start, arrive(1, RZ, opt_out, guard=1), *back]
        yield "SYNCS_ARRIVE", "d", [*start, mov(40, 16), arrive(0, 40), *back]
        yield "SYNCS_ARRIVE", "d", [*start, mov(40, 16), arrive(3, 40, red, d=RZ), *back]
        yield "SYNCS_PHASECHK", "d", [*start, arrive(1, RZ, red, d=RZ), mov(40, 0), *phase, *back]
        yield "SYNCS_PHASECHK", "d", [*start, arrive(1, RZ, red, d=RZ), mov(40, 1 << 31), *phase, *back]
    yield "SYNCS_ARRIVE", "d", [*init(100), exch(8), mov(40, 2), arrive(5, 40, red, d=RZ), *back]
    yield "SYNCS_CCTL", "d", [*init(1), exch(8), *back]
    for kind in (0, 1):
        shared = [ins(0x810, (16, 24, 16), (24, 32, 24), (32, 64, 0x400), (64, 72, 6), (75, 76, 1), (77, 81, 15),
                      (81, 84, 7), (84, 87, 7), (87, 91, 15))]
        copy = ins(0xfae, (16, 24, 16), (24, 32, 24), (64, 70, 30), (70, 71, 1), (73, 76, 4), (76, 77, 1), (81, 82, 1),
                   (84, 87, 1), (91, 92, 1))
        yield "ARRIVES", "g", [*shared, umov(12, 0x400), *init(40), exch(8), copy,
                               ins(0x9b0, (24, 32, RZ), (64, 70, 12), (70, 72, kind), (73, 76, 5), (91, 92, 1),
                                   no_predicate=True),
                               ins(0x9af, no_predicate=True), ins(0x91a, (47, 48, 1), no_predicate=True),
                               ins(0x95d, (32, 64, 2000)), *back]


    # Stores and reductions that complete bytes on a barrier: R25 is its address.
    barrier = [*init(1), exch(8), mov(25, 0x400)]
    pause = [ins(0x95d, (32, 64, 4000)), *back]
    for kind in (4, 5, 6):
        yield "STAS", "d", [*barrier, ins(0xdbd, (24, 32, 24), (32, 40, 40), (64, 70, 63), (73, 76, kind), (90, 92, 3),
                                          no_predicate=True), *pause]
        yield "STAS", "d", [*barrier, ins(0xdbd, (24, 32, 24), (32, 40, 40), (64, 70, 63), (73, 76, kind), (90, 92, 3),
                                          guard=1, no_predicate=True), *pause]
    for operation in range(8):
        for kind in ((0, 1, 2) if operation == 0 else (0, 1) if operation in (1, 2) else (0,)):
            yield "REDAS", "d", [*barrier, ins(0xdbe, (24, 32, 24), (32, 40, 40), (64, 70, 63), (72, 73, 1),
                                               (73, 76, kind), (87, 91, operation), (91, 92, 1), no_predicate=True), *pause]
    for kind in (0, 1, 2):
        shared = [mov(24, 0x520), *barrier]
        yield "REDAS", "d", [*shared, ins(0xdbe, (24, 32, 24), (32, 40, 40), (64, 70, 63), (72, 73, 1), (73, 76, kind),
                                          (91, 92, 1), no_predicate=True), *pause]


def bulk_reductions():
    # Global memory at UR20:UR21 from shared memory at UR12, UR14 times 16 bytes.
    done = [ins(0x9b7, no_predicate=True), ins(0x91a, (47, 48, 1), no_predicate=True)]
    ready = [umov(12, 0x500), umov(14, 24), ins(0x3c6, no_predicate=True)]

    def red(*fields):
        return ins(0x3bb, (24, 30, 12), (32, 38, 20), (64, 70, 14), (74, 75, 1), (91, 92, 1), *fields, no_predicate=True)
    # 0 u32, 1 s32, 2 u64, 3 s64, 4 f16, 5 f32, 6 f32 flushed, 7 f64, 8 bf16
    for operation, kinds in enumerate(((0, 1, 2, 4, 5, 6, 7, 8), (0, 1, 2, 3, 4, 8), (0, 1, 2, 3, 4, 8), (0,), (0,), (0, 2),
                                       (0, 2), (0, 2))):
        for kind in kinds:
            yield "UBLKRED", "h", [*ready, red((81, 85, kind), (87, 90, operation)), *done]
    yield "UBLKCP", "h", [*ready, ins(0x3ba, (24, 30, 12), (32, 38, 20), (64, 70, 14), (74, 75, 1), (91, 92, 1),
                                      no_predicate=True), *done]


def main():
    for group in (nothing_happens, branches, jumps, barriers, copies, memory_barriers, bulk_reductions):
        for row, address, words in group():
            print(row, address, " ".join(f"{word & (1 << 64) - 1:x} {word >> 64:x}" for word in words))


if __name__ == "__main__":
    main()
