#!/usr/bin/env python3
"""What measure.sh left in FOLDERs, as one table per kind: join.py OUT FOLDER... -> OUT/KIND.csv.

Each FOLDER holds KIND.csv (Nsight Compute's source page, one row per SASS instruction) and KIND.bin (the patterns).
The compiler reorders the probed instructions, so each is traced back to the load of its shared address from the
patterns, whose offset says which record it belongs to. Thread counts check the result.

Columns: instruction (named as `lanebank wavefronts` does), access_bytes, active_mask, wavefronts, ideal, executed (times
the instruction ran: the trips of an ATOMS.CAST.SPIN loop), guard (predicate before the instruction, - if none),
byte_addresses, and for asynchronous copies global_offsets. Wavefronts and ideal are of all executions together.
"""
import csv
import os
import re
import struct
import sys

COUNT, RECORD_BYTES = 96, 260
# kind: opcode, name, bytes per lane
KINDS = {
    "ld4": ("LDS", "ld", 4), "ld8": ("LDS.64", "ld", 8), "ld16": ("LDS.128", "ld", 16),
    "st4": ("STS", "st", 4), "st8": ("STS.64", "st", 8), "st16": ("STS.128", "st", 16),
    "gld4": ("LD.E", "ld", 4), "gld8": ("LD.E.64", "ld", 8), "gld16": ("LD.E.128", "ld", 16),
    "gst4": ("ST.E", "st", 4), "gst16": ("ST.E.128", "st", 16),
    "gatom_add": ("ATOM.E.ADD.STRONG.GPU", "atom_add_u32", 4),
    "atom_add_u64": ("ATOMS.CAST.SPIN.64", "atoms_cast_spin_64", 8), "atom_cas_u64": ("ATOMS.CAS.64", "atom_cas_b64", 8),
    "atom_exch_u64": ("ATOMS.EXCH.64", "atom_exch_b64", 8), "atom_inc": ("ATOMS.INC", "atom_inc_u32", 4),
    "atom_exch_b128": ("ATOMS.EXCH.128", "atom_exch_b128", 16), "atom_cas_b128": ("ATOMS.CAS.128", "atom_cas_b128", 16),
    "atom_add_f32": ("ATOMS.CAST.SPIN", "atoms_cast_spin", 4),
    "atom_add_f64": ("ATOMS.CAST.SPIN.64", "atoms_cast_spin_64", 8),
    "ca4": ("LDGSTS.E", "cp_async_ca_4", 4), "ca8": ("LDGSTS.E.64", "cp_async_ca_8", 8),
    "ca16": ("LDGSTS.E.128", "cp_async_ca_16", 16), "cg16": ("LDGSTS.E.BYPASS.128", "cp_async_cg_16", 16),
}
GUARD = re.compile(r"^@(!?U?P\w+)\s+")


def source_page(path):
    with open(path, newline="") as file:
        next(file)  # the kernel's name
        return list(csv.DictReader(file))


def records(path):
    with open(path, "rb") as file:
        data = file.read()
    for at in range(0, COUNT * RECORD_BYTES, RECORD_BYTES):
        values = struct.unpack_from("<65I", data, at)
        yield values[0], values[1:33], values[33:65]


def opcode(row):
    return GUARD.sub("", row["Source"].strip()).split()[0]


def record_of(rows, at, register):
    """The record whose shared address a register holds at row `at`; None if it holds something else."""
    pending = [(at, register)]
    while pending:
        at, register = pending.pop()
        for back in range(at - 1, -1, -1):
            text = GUARD.sub("", rows[back]["Source"].strip())
            name, _, operands = text.partition(" ")
            operands = [operand.strip() for operand in operands.split(",")]
            target = re.match(r"R(\d+)", operands[0])
            if target is None or name.startswith("ST"):
                continue
            wide = "WIDE" in name or name.startswith("L") and ".64" in name
            if not int(target[1]) <= register < int(target[1]) + 1 + wide:
                continue
            if name.startswith("LDG"):
                offset = re.search(r"\.64(?:\+(0x[0-9a-f]+))?\]", text)
                offset = int(offset[1], 16) if offset[1] else 0
                if offset % RECORD_BYTES == 4:
                    return offset // RECORD_BYTES
                break
            pending += [(back, int(source[1])) for source in (re.match(r"-?R(\d+)", o) for o in operands[1:]) if source]
            break
    return None


def joined(folder, kind):
    wanted, name, size = KINDS[kind]
    rows, patterns, found = source_page(f"{folder}/{kind}.csv"), list(records(f"{folder}/{kind}.bin")), {}
    for at, row in enumerate(rows):
        registers = re.findall(r"\[R(\d+)", row["Source"])
        if opcode(row) != wanted or not registers:
            continue
        record = record_of(rows, at, int(registers[-1]))
        if record is None:
            continue
        assert record not in found, (folder, kind, record, row["Source"])
        mask, addresses, offsets = patterns[record]
        threads, trips = int(row["Predicated-On Thread Instructions Executed"]), int(row["Instructions Executed"])
        assert threads == mask.bit_count() if trips == 1 else threads > mask.bit_count(), (folder, kind, record)
        guard = GUARD.match(row["Source"].strip())
        line = [name, size, f"{mask:08x}", row["L1 Wavefronts Shared"], row["L1 Wavefronts Shared Ideal"], trips,
                guard[1] if guard else "-", " ".join(map(str, addresses))]
        found[record] = line + ([" ".join(map(str, offsets))] if name.startswith("cp_async") else [])
    assert len(found) == COUNT, (folder, kind, len(found))
    return [found[record] for record in range(COUNT)]


def main():
    out, folders = sys.argv[1], sys.argv[2:]
    for kind, (_, name, _) in KINDS.items():
        if not all(os.path.exists(f"{folder}/{kind}.csv") for folder in folders):
            print(f"{kind}: not measured, left as it is", file=sys.stderr)
            continue
        columns = "instruction,access_bytes,active_mask,wavefronts,ideal,executed,guard,byte_addresses"
        with open(f"{out}/{kind}.csv", "w", newline="") as file:
            file.write(columns + (",global_offsets" if name.startswith("cp_async") else "") + "\n")
            writer = csv.writer(file, lineterminator="\n")
            for folder in folders:
                writer.writerows(joined(folder, kind))


if __name__ == "__main__":
    main()
