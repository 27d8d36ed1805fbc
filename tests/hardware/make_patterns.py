#!/usr/bin/env python3
"""Address patterns for probe_shared: make_patterns.py FOLDER SEED -> FOLDER/KIND.bin, 96 records each."""
import random
import struct
import sys

COUNT, SHARED = 96, 16384
BYTES = {"ld4": 4, "ld8": 8, "ld16": 16, "st4": 4, "st8": 8, "st16": 16, "gld4": 4, "gld8": 8, "gld16": 16, "gst4": 4, "gst16": 16,
         "gatom_add": 4, "atom_add_u64": 8, "atom_cas_u64": 8, "atom_exch_u64": 8, "atom_add_f32": 4, "atom_add_f64": 8,
         "atom_inc": 4, "atom_exch_b128": 16, "atom_cas_b128": 16, "ca4": 4, "ca8": 8, "ca16": 16, "cg16": 16}


def masks(rng):
    return rng.choice([0xFFFFFFFF, 0xFFFFFFFF, rng.getrandbits(32) | 1, rng.getrandbits(32) & rng.getrandbits(32) | 2, 0x0000FFFF,
                       0xFFFF0000, 0x000000FF, 0x55555555, 0x33333333, 0x0F0F0F0F, 0x00FF00FF, 1 << rng.randrange(32)])


def addresses(rng, size):
    kind = rng.randrange(8)
    units = SHARED // size
    if kind == 0:
        stride = rng.choice([1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33])
        return [(i * stride) % units * size for i in range(32)]
    if kind == 1:
        return [rng.randrange(units) * size for _ in range(32)]
    if kind == 2:  # pairs share an address
        near = rng.choice([1, 2, 4, 8, 16])
        base = [rng.randrange(units) * size for _ in range(32)]
        return [base[i & ~near] for i in range(32)]
    if kind == 3:
        few = [rng.randrange(units) * size for _ in range(rng.choice([1, 2, 4, 8]))]
        return [rng.choice(few) for _ in range(32)]
    if kind == 4:  # rows with a pitch
        width, pitch = rng.choice([2, 4, 8, 16]), rng.choice([64, 80, 96, 128, 132, 136, 144, 160, 256, 272])
        return [((i // width) * pitch // size * size + (i % width) * size) % SHARED for i in range(32)]
    if kind == 5:  # xor swizzle
        width, mask = rng.choice([4, 8]), rng.choice([1, 3, 7])
        return [((i // width) * width + ((i % width) ^ ((i // width) & mask))) * size % SHARED for i in range(32)]
    if kind == 6:  # small area
        area = rng.choice([8, 16, 32, 64])
        return [rng.randrange(area) * size for _ in range(32)]
    order = list(range(32))
    rng.shuffle(order)
    return [o * size for o in order]


def sources(rng, size):
    """Global byte offsets of an asynchronous copy."""
    kind = rng.randrange(7)
    if kind == 0:
        return [i * size for i in range(32)]
    if kind in (1, 2, 3):  # rows of a matrix tile
        width = rng.choice([2, 4, 8, 16, 32])
        pitch = rng.choice([32, 64, 96, 128, 160, 192, 256, 288, 512, 1024, 4096, 4096 + 32, 4096 + 64])
        return [(i // width) * pitch + (i % width) * size for i in range(32)]
    if kind == 4:
        stride = rng.choice([1, 2, 4, 8]) * size
        return [i * stride for i in range(32)]
    if kind == 5:
        shift = rng.randrange(8) * size
        return [shift + i * size for i in range(32)]
    return [rng.randrange(4096) * size for _ in range(32)]


def main():
    folder, seed = sys.argv[1], int(sys.argv[2])
    for name, size in BYTES.items():
        rng = random.Random(f"{seed} {name}")
        with open(f"{folder}/{name}.bin", "wb") as out:
            for _ in range(COUNT):
                mask = masks(rng)
                if name in ("ca4", "ca8", "ca16", "cg16") and rng.random() < 0.6:
                    mask = 0xFFFFFFFF
                out.write(struct.pack("<65I", mask, *addresses(rng, size), *sources(rng, size)))


main()
