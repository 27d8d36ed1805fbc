#!/usr/bin/env python3
"""Patterns of 16-byte loads that tell when two quarter-warps are served together: make_quarter_patterns.py SET FOLDER ->
FOLDER/ld16.N.bin, 96 records a file, as make_patterns.py writes them.

SET active: who is active, without conflicts (pairs, one quarter fixed, few lanes), then with them.
SET paired: which lanes share an address, in each half-warp by itself, most lanes active.
"""
import itertools
import random
import struct
import sys

COUNT = 96


def record(lanes, chunks):
    """Lane to 16-byte chunk; inactive lanes point elsewhere."""
    addresses = [16 * 64] * 32
    for lane, chunk in zip(lanes, chunks):
        addresses[lane] = 16 * chunk
    return struct.pack("<65I", sum(1 << lane for lane in lanes), *addresses, *[0] * 32)


def active():
    rng = random.Random(7)
    for pair in itertools.combinations(range(16), 2):  # one half-warp: every pair of lanes
        yield pair, (0, 1)
    for pair in itertools.combinations(range(16, 32), 2):
        if rng.random() < 0.3:
            yield pair, (0, 1)
    for _ in range(60):  # pairs across halves
        yield (rng.randrange(16), rng.randrange(16, 32)), (0, 1)
    for low in ((0, 1), (0, 2), (0, 1, 2, 3), (0,), (1, 3, 5, 7)):  # low quarter fixed, high quarter varied
        for size in (1, 2, 3, 4):
            for high in rng.sample(list(itertools.combinations(range(8, 16), size)), 8):
                yield low + high, range(len(low) + size)
    for _ in range(160):  # up to eight lanes of a half, no conflicts
        lanes = sorted(rng.sample(range(16), rng.randrange(3, 9)))
        chunks = rng.sample(range(8), len(lanes))
        yield lanes, [chunk + 8 * rng.randrange(4) for chunk in chunks]
    for _ in range(96):  # both halves
        lanes = sorted(rng.sample(range(32), rng.randrange(3, 17)))
        yield lanes, [lane % 8 + 8 * rng.randrange(4) for lane in lanes]
    for _ in range(96):  # whole pairs share an address
        near = rng.choice([1, 2])
        lanes = [lane for lane in range(32) if rng.random() < 0.7]
        where = [rng.randrange(16) for _ in range(32)]
        yield lanes, [where[lane & ~near] for lane in lanes]
    while True:  # anything, conflicts among them
        lanes = [lane for lane in range(32) if rng.random() < rng.choice([0.2, 0.5, 0.8])] or [3]
        area = rng.choice([8, 8, 16, 32])
        yield lanes, [rng.randrange(area) for _ in lanes]


def half(rng, first, partner, area):
    """Chunks of a half-warp whose lanes share an address with their partners (lane ^ partner; 0: nobody, 16: all)."""
    where = rng.sample(range(area), 8) if area == 8 else [rng.randrange(area) for _ in range(8)]
    if partner == 0:
        return [rng.randrange(area) for _ in range(16)]
    if partner == 16:
        return [where[0]] * 16
    if partner == 3:  # quads
        return [where[lane // 4] for lane in range(16)]
    order, chunks = iter(where), {}
    for lane in range(16):
        chunks.setdefault(min(lane, lane ^ partner), None)
    for lane in chunks:
        chunks[lane] = next(order)
    return [chunks[min(lane, lane ^ partner)] for lane in range(16)]


def paired():
    rng = random.Random(8)
    everybody = list(range(32))
    kinds = (1, 2, 3, 4, 8, 16, 0)
    for low, high in itertools.product(kinds, kinds):  # everybody active
        for area in (8, 8, 16, 32):
            yield everybody, half(rng, 0, low, area) + half(rng, 16, high, area)
    for low, high in itertools.product((1, 2, 3, 16), (1, 2, 3, 16)):  # a few lanes off
        for off in ((31,), (15,), (0,), (16,), (30, 31), (14, 15), (15, 31), (0, 1), (29,), (30,), (24, 25, 26, 27, 28, 29, 30), (8, 9, 10)):
            lanes = [lane for lane in everybody if lane not in off]
            chunks = half(rng, 0, low, 8) + half(rng, 16, high, 8)
            yield lanes, [chunks[lane] for lane in lanes]
    while True:
        share = rng.choice([0.3, 0.6, 0.9, 1])
        lanes = [lane for lane in everybody if rng.random() < share] or [31]
        area = rng.choice([8, 8, 16, 64])
        chunks = half(rng, 0, rng.choice(kinds), area) + half(rng, 16, rng.choice(kinds), area)
        if rng.random() < 0.2:  # one address here and there
            chunks = [chunks[0] if rng.random() < 0.7 else chunk for chunk in chunks]
        yield lanes, [chunks[lane] for lane in lanes]


def main():
    folder, source = sys.argv[2], {"active": active, "paired": paired}[sys.argv[1]]()
    for number in range(12):
        with open(f"{folder}/ld16.{number:02}.bin", "wb") as out:
            for lanes, chunks in itertools.islice(source, COUNT):
                out.write(record(list(lanes), list(chunks)))


main()
