#!/usr/bin/env python3
"""Compares two files of arithmetic.cu: compare_arithmetic.py GPU.bin OURS.bin [--show N]"""
import argparse
import struct
import sys


def records(path):
    data = open(path, "rb").read()
    at = 0
    while at < len(data):
        name = data[at:at + 32].rstrip(b"\0").decode()
        (count,) = struct.unpack_from("<I", data, at + 32)
        yield name, struct.unpack_from(f"<{count}I", data, at + 36)
        at += 36 + 4 * count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpu")
    parser.add_argument("ours")
    parser.add_argument("--show", type=int, default=3, help="differences shown for each record")
    options = parser.parse_args()
    ours = dict(records(options.ours))
    different = 0
    for name, words in records(options.gpu):
        if name not in ours:
            print(f"{name}: missing")
            different += 1
            continue
        places = [i for i, (x, y) in enumerate(zip(words, ours[name])) if x != y]
        if not places:
            continue
        different += 1
        largest = max(abs(words[i] - ours[name][i]) for i in places)
        print(f"{name}: {len(places)} of {len(words)} words differ, patterns by up to {largest}")
        for i in places[:options.show]:
            print(f"    word {i}: GPU {words[i]:08x}, ours {ours[name][i]:08x}")
    print(f"{different} records differ")
    sys.exit(different != 0)


if __name__ == "__main__":
    main()
