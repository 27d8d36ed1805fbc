#!/usr/bin/env python3
"""Makes the table of results that recorded_test.cpp replays: record_hashes.py GPU.bin > ../data/arithmetic_h200.def"""
import sys

from compare_arithmetic import records


def fnv1a(words):
    """64-bit FNV-1a over words of 32 bits."""
    value = 0xcbf29ce484222325
    for word in words:
        value = ((value ^ word) * 0x100000001b3) & 0xffffffffffffffff
    return value


def main():
    print("// Results of tests/machine/hardware/arithmetic.cu on an H200: name and 64-bit FNV-1a hash of the words of every")
    print("// record. Made by tests/machine/hardware/record_hashes.py.")
    for name, words in records(sys.argv[1]):
        print(f"LANEBANK_RECORDED({name}, {len(words)}, 0x{fnv1a(words):016x})")


if __name__ == "__main__":
    main()
