#!/usr/bin/env python3
"""Walks the instruction table and writes encodings for the probe (instruction_probe.hpp) to run on a device.

    make_instruction_cases.py NVDISASM > CASES

Of every executed row of sm_90 that works on registers, predicates and memory alone: each value of each modifier, signs,
operand forms, and random combinations of them; registers from fixed places. Encodings that NVDISASM (the vendor's
disassembler) refuses or calls invalid are left out.
"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "../../../src/sass/instructions.def")
TEXTS = os.path.join(HERE, "../../sass/data/texts.txt")

UNITS = {"alu", "convert", "uniform", "warp", "matrix", "memory", "atomic"}
# Rows that the probe cannot run: they need several warps, descriptors or addresses of their own kind.
LEFT_OUT = {"HGMMA", "HGMMA_R", "IGMMA", "IGMMA_R", "BGMMA", "BGMMA_R", "QGMMA", "QGMMA_R", "WARPGROUP", "CCTL",
            "CCTL_UR", "ERRBAR", "CGAERRBAR", "FENCE", "MEMBAR"}
SPECIAL_REGISTERS = [0x00, 0x21, 0x22, 0x23, 0x25, 0x26, 0x27, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0xff]
UNIFORM_SPECIAL_REGISTERS = [0x25, 0x26, 0x27]
# Whether all lanes must take part.
WHOLE_WARP = {"LDSM", "STSM", "MOVM", "HMMA", "IMMA", "BMMA", "DMMA"}
# Only shapes that compilers made: their fields hang together in ways that the table does not say.
COMPILED_ONLY = {"F2FP"}
CASES_PER_ROW = 40
FIELDS = {"d": (16, 8, 16), "a": (24, 8, 24), "b": (32, 8, 40), "c": (64, 8, 48)}
UNIFORM_FIELDS = {"d": (16, 6, 8), "a": (24, 6, 12), "b": (32, 6, 16), "c": (64, 6, 20)}
IMMEDIATES = [0, 1, 2, 7, 31, 32, 63, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
              0xffffffff, 0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0x7fc00000, 0x00800000, 0x00000fff,
              0x3c003c00, 0x40003800, 0x7c007e00, 0x3f803f80, 0x3ff00000, 0x40080000, 0x3210, 0x5410, 0x7632, 0x0123]


def table():
    text = open(TABLE).read()
    lists = dict(re.findall(r'LANEBANK_SASS_LIST\((\w+), "([^"]*)"\)', text))
    rows = []
    for line in text.splitlines():
        match = re.match(r'LANEBANK_SASS\((\w+),\s*"(\w+)",\s*(0x[0-9a-f]+),\s*(.*?),\s+(\d+), (\d+), (\w+),\s+(\w+),'
                         r'\s+"(.*?)",\s+"(.*?)",\s+(supported|unsupported.*)\)$', line)
        if line.startswith("LANEBANK_SASS("):
            assert match, line
            rows.append(match.groups())
    return lists, rows


class Row:
    def __init__(self, lists, fields):
        (self.id, self.mnemonic, opcode, match, first, last, self.unit, self.lower, self.modifiers, self.operands,
         status) = fields
        self.opcode = int(opcode, 16)
        self.last = int(last)
        self.executed = status == "supported"
        forms = re.match(r"forms\(([\d, ]+)\)", match)
        self.forms = [int(f) for f in forms[1].split(",")] if forms else []
        self.fixed = [tuple(map(int, w)) for w in re.findall(r"where\((\d+), (\d+), (\d+)\)", match)]
        self.uniform = ".uniform()" in match
        self.choices, self.flags = [], set()
        pictures = self.modifiers + " , " + self.operands
        for bits, words in re.findall(r"[{<]([\d:+]+) ([^}>]*)[}>]", pictures):
            runs = [(int(r.split(":")[0]), int(r.split(":")[1]) if ":" in r else int(r) + 1) for r in bits.split("+")]
            if words.startswith("="):
                words = lists[words[1:]]
            words = words.split()
            self.choices.append((runs, [n for n, word in enumerate(words) if word != "?"]))
        for condition in re.findall(r"[(;] ?((?:!?[\d@:=!^n]+&?)+) ", pictures):
            for term in condition.split("&"):
                if re.fullmatch(r"!?\d+", term):
                    self.flags.add(int(term.strip("!")))
        for sign in re.findall(r"[-~!|](\d+)", pictures):
            self.flags.add(int(sign))
        tokens = re.sub(r"'[^']*'|[{<][^}>]*[}>]", " ", self.operands)
        self.tokens = tokens
        for place, bits in (("a", (72, 73)), ("b", (63, 62)), ("s", (63, 62)), ("c", (75, 74))):
            for sign in re.findall(r"([-~|]*)\b" + "u?" + place + r"[ifdhbklv]?\b", tokens):
                half = re.search(r"\b" + place + r"[hb]\b|\bc[hbkl]\b", tokens) if place == "c" else None
                if "-" in sign or "~" in sign:
                    self.flags.add(84 if half else bits[0])
                if "|" in sign:
                    self.flags.add(83 if half else bits[1])
        for place in "abc":
            if re.search(r"\b" + place + r"[hbv]\b", tokens) or (place == "b" and re.search(r"\bs[hbv]\b", tokens)):
                first_bit = {"a": 74, "b": 60, "c": 81}[place]
                self.choices.append(([(first_bit, first_bit + 2)], [0, 2, 3]))


    def takes(self, word):
        opcode_bits = 9 if self.forms else 12
        return (word & ((1 << opcode_bits) - 1) == self.opcode and (not self.forms or word >> 9 & 7 in self.forms) and
                all(word >> first & ((1 << end - first) - 1) == value for first, end, value in self.fixed))


def compiled():
    """The words of sm_90 that compilers made, as texts.txt keeps them."""
    for line in open(TEXTS):
        architectures, _, high, low, _ = line.split(" ", 4)
        if "90" in architectures:
            yield int(high, 16) << 64 | int(low, 16)


def put(word, first, width, value):
    mask = ((1 << width) - 1) << first
    return (word & ~mask) | ((value << first) & mask)


def encode(row, form, chance, pick, variant):
    """One encoding. `pick`: index of the choice that takes its value from `variant`, or None; "compiled": all modifiers
    and signs are those of the word `variant`."""
    if pick == "compiled":
        return operands(row, form, chance, variant, True)
    word = row.opcode | (form << 9 if row.forms else 0)    # modifiers and signs
    for n, (runs, values) in enumerate(row.choices):
        value = values[variant % len(values)] if n == pick else chance.choice(values if chance.random() < .6 else values[:2])
        for first, end in runs:
            word = put(word, first, end - first, value)
            value >>= end - first
    for bit in row.flags:
        if not (form in (2, 4) and 32 <= bit < 64):
            word = put(word, bit, 1, chance.randrange(2))
    return operands(row, form, chance, word)


def operands(row, form, chance, word, keeps_zeros=False):
    """The word with registers, immediates, predicates and a guard for the probe."""
    tokens, rnd, immediate_form = row.tokens, chance.random, form in (2, 4)
    fields = UNIFORM_FIELDS if row.uniform or re.search(r"\bu[abcd]\b", tokens) else FIELDS
    uniform_alu = fields is UNIFORM_FIELDS

    def register(place):
        first, width, number = fields[place]
        if keeps_zeros and place != "d" and word >> first & ((1 << width) - 1) == (1 << width) - 1:
            return first, width, (1 << width) - 1
        value = number
        if place != "d" and rnd() < .08:
            value = (1 << width) - 1
        elif place != "d" and rnd() < .06 and row.unit != "matrix":
            value = fields["d"][2]
        elif place == "d" and rnd() < .03:
            value = (1 << width) - 1
        return first, width, value

    if row.forms:
        if re.search(r"\bu?d\b", tokens):
            word = put(word, *register("d"))
        word = put(word, *(register("a") if re.search(r"\bu?a[h]?\b", tokens) else (24, fields["a"][1], (1 << fields["a"][1]) - 1)))
        swapped = form in (2, 3, 7)
        third = re.search(r"\bu?c[ifdhbkl]?\b", tokens)
        in_c = "b" if swapped else "c"
        if swapped and not re.search(r"\bu?b[ifdhbkl]?\b", tokens):  # two operands: the other one stands in slot b
            word = put(word, 64, fields["c"][1], (1 << fields["c"][1]) - 1)
        elif third or swapped:
            first, width, value = register(in_c)
            word = put(word, 64, width, value)
        elif not keeps_zeros and not any(64 <= first < 72 for runs, _ in row.choices for first, _ in runs):
            word = put(word, 64, fields["c"][1], 0)
        if immediate_form:
            value = chance.choice(IMMEDIATES) if rnd() < .7 else chance.getrandbits(32)
            word = put(word, 32, 32, value)
        elif form in (3, 5):
            signs = word & (0b1111 << 60)
            word = put(word, 32, 28, 0)
            word = put(word, 40, 14, (0x228 + 8 * chance.randrange(26)) // 4) | signs
        elif form in (6, 7):
            word = put(word, 32, 6, 16)
            word = put(word, 91, 1, 1)
        else:
            first, width, value = register("c" if swapped else "b")
            word = put(word, 32, width, value)
        if uniform_alu:
            word = put(word, 91, 1, 1)
            if form == 1:
                word = put(word, 32, 6, 16 if rnd() < .92 else 63)
    for kind, first in re.findall(r"(?<![A-Za-z])([RU])(\d+)", tokens):
        first = int(first)
        if kind == "R":
            number = {16: 16, 24: 24, 32: 40, 64: 48, 40: 56}[first]
            if first != 24 and row.unit not in ("matrix",) and rnd() < .06:
                number = 255
            word = put(word, first, 8, number)
        elif kind == "U":
            number = {16: 8, 24: 12, 32: 16, 64: 20, 40: 30}[first]
            word = put(word, first, 6, number)
    # predicates: destinations differ, sources are any
    destinations = chance.sample(range(7), 2)
    for kind, first in re.findall(r"(?<![A-Za-z])([PQMN])(\d+)", tokens):
        first = int(first)
        if first in (81, 84) and kind in "PQ":
            value = destinations[first == 84] if rnd() < .85 else 7
        else:
            value = chance.randrange(8) if rnd() < .8 else 7
            if kind in "MN":
                value = 7 - value
        word = put(word, first, 3, value)
    for sign, bit, first in re.findall(r"(!)(\d+)[PQMN](\d+)", tokens):
        word = put(word, int(bit), 1, chance.randrange(2))
    for first, end in re.findall(r"\bx(\d+):(\d+)", row.operands):
        first, end = int(first), int(end)
        if end - first == 32 or (row.unit in ("memory", "atomic")):
            value = chance.choice(IMMEDIATES) if rnd() < .5 else chance.getrandbits(32)
            if row.unit in ("memory", "atomic"):
                continue
        else:
            value = chance.getrandbits(end - first)
        word = put(word, first, end - first, value)
    for first, end, first2, end2 in re.findall(r"\bx(\d+):(\d+)\+(\d+):(\d+)", row.operands):
        word = put(word, int(first2), int(end2) - int(first2), chance.getrandbits(int(end2) - int(first2)))
    if "'UPR'" in row.operands or "'PR'" in row.operands:
        if not row.forms:
            word = put(word, 32, 32, chance.choice([0x7f, 0xff, chance.randrange(256)]))
        elif immediate_form:
            word = put(word, 32, 32, chance.choice([0x7f, 0xff, chance.randrange(256)]))
    for first, end, value in row.fixed:
        word = put(word, first, end - first, value)
    # guard
    if rnd() < .25 and row.id not in WHOLE_WARP:
        word = put(word, 12, 4, chance.randrange(7) | chance.randrange(2) << 3)
    else:
        word = put(word, 12, 4, 7)
    return word


def special(row, word, chance):
    """What single rows need beyond the rules: (word, how R24 becomes an address), or None to leave the encoding out."""
    offset = chance.choice([0, 0, 16, 64, 240, -16, -256])

    def at(first, width=24):
        return put(word, first, width, offset)
    name = row.id
    if name in ("IMAD", "UIMAD"):
        word = put(word, 81, 3, 7)
    if name in ("IADD3", "UIADD3", "UIADD3_64", "LEA", "ULEA", "LEA_HI", "ULEA_HI") and word >> 72 & 1 and \
            (row.forms and word >> 9 & 7 not in (2, 4)):
        word = put(word, 63, 1, 0)  # not both of the first two
    if name in ("LEA_HI", "ULEA_HI") and word >> 73 & 1:
        word = put(word, 64, 6 if row.uniform else 8, 63 if row.uniform else 255)
    brain = {"HADD2": 85, "HMUL2": 85, "HFMA2": 85, "HFMA2_MMA": 85, "HSET2": 65, "HSETP2": 65}.get(name)
    if brain and word >> brain & 1:
        word = put(put(word, 80, 1, 0), 76, 1, 0)
        if name not in ("HSET2", "HSETP2"):
            word = put(put(word, 77, 2, 0), 77, 1, 0)
    if name == "I2IP" and word >> 74 & 3 == 2 and word >> 76 & 1 == 0:
        word = put(word, 74, 2, 1)
    if name == "MATCH" and word >> 79 & 1:
        word = put(word, 81, 3, 7)
    if row.unit == "atomic" and "CAS" not in name:
        if "FLOAT" in name:
            if word >> 73 & 15 > 5:
                word = put(word, 88, 2, 0)
        else:
            operation, kind = word >> 87 & (7 if name == "RED" else 15), word >> 73 & 7
            shared = name.startswith("ATOMS")
            if operation in (3, 4) and kind or kind == 3 and operation not in (1, 2) or kind > 3 or \
                    shared and kind > 1 and operation != 8 or operation > 8 and name != "ATOMS_POPC":
                return None
    if row.unit in ("memory", "atomic"):
        word = put(word, 84, 3, 1) if "=evict" in row.modifiers else word  # plain eviction
        if "=type" in row.modifiers:
            kind = word >> 73 & 7
            if kind > 6:
                return None
    if name == "LDC":
        word = put(put(word, 38, 16, 0x228 + 16 * chance.randrange(12)), 54, 5, 0)
        word = put(word, 24, 8, 255) if chance.random() < .5 else put(word, 24, 8, 24)
        word = put(word, 78, 2, 0)
        return (word, "-") if word >> 24 & 255 == 255 else None
    if name in ("ULDC", "ULDC_UR"):
        word = put(put(word, 38, 16, 0x228 + 16 * chance.randrange(12)), 54, 5, 0)
        word = put(word, 91, 1, 0)
        if name == "ULDC_UR":
            return None
        if word >> 73 & 7 == 6:
            return None
        return word, "-"
    if name in ("LDS", "STS", "ATOMS", "ATOMS_CAS"):
        word = put(put(word, 78, 2, 0), 91, 1, 0)
        word = put(word, 40, 24, offset)
        return word, "s"
    if name in ("STS_UR", "ATOMS_UR", "ATOMS_POPC"):
        word = put(put(word, 78, 2, 0), 91, 1, 1)
        word = put(word, 64, 6, 63)
        word = put(word, 40, 24, offset)
        return word, "s"
    if name in ("LDSM", "STSM"):
        word = put(word, 91, 1, 0)
        return put(word, 40, 24, offset), "s"
    if name == "STL_UR":
        word = put(put(put(word, 91, 1, 1), 76, 1, 0), 64, 6, 63)
        return put(word, 40, 24, chance.choice([0, 0, 16, -16, -32])), "l"
    if name == "QSPC_UR":
        word = put(put(put(word, 90, 2, 3), 32, 6, 63), 72, 1, 1)
        return put(word, 40, 24, 0), chance.choice("gwv")
    if name in ("LDL", "STL"):
        word = put(word, 91, 1, 0)
        return put(word, 40, 24, chance.choice([0, 0, 16, -16, -32])), "l"
    if name in ("LDG_UR", "STG_UR", "LD", "ST_UR", "ATOM_UR", "ATOMG_UR", "ATOM_FLOAT_UR", "ATOMG_FLOAT_UR", "RED",
                "RED_FLOAT"):
        descriptor_bit = {"LDG_UR": 76, "STG_UR": 76, "LD": 76, "ST_UR": 76}.get(name, 71)
        field = 32 if name in ("LDG_UR", "LD") else 64
        word = put(put(word, 91, 1, 1), 72, 1, 1)
        word = put(word, 40, 24, offset)
        if name == "LDG_UR":
            word = put(put(put(word, 64, 8, 0), 68, 2, 0), 81, 3, 7)
        way = chance.choice("ggguh" if descriptor_bit == 76 else "gggh")
        if name in ("LD", "ST_UR", "ATOM_UR", "ATOM_FLOAT_UR"):
            way = chance.choice("ggwwvh" if name in ("LD", "ST_UR") else "ggwh")
        if name == "ATOM_FLOAT_UR" and way == "w":
            way = "g"
        word = put(word, descriptor_bit, 1, way in "gwv")
        word = put(word, field, 6, 30 if way in "gwv" else 20)
        if descriptor_bit == 76 or name in ("RED", "RED_FLOAT"):
            word = put(word, 90, 1, way != "u")
        if way == "v":
            word = put(word, 40, 24, chance.choice([0, 0, 16, -16, -32]))
        word = put(word, 77, 4, chance.choice([0, 5, 7, 10]) if "load_order" in row.modifiers or
                   "store_order" in row.modifiers else 0)
        if row.unit == "atomic":
            word = put(word, 77, 4, chance.choice([5, 7, 10]))
        return word, way
    if name in ("LDG_32", "STG_32", "ST", "ATOM", "ATOMG", "ATOM_CAS", "ATOMG_CAS", "ATOM_FLOAT", "ATOMG_FLOAT"):
        word = put(put(word, 72, 1, 1), 91, 1, 0)
        word = put(word, 32, 32, 0) if name == "ST" else word
        if name == "ST":
            word = put(word, 32, 32, offset & 0xffffffff)
        else:
            word = put(word, 40, 24, offset)
        if name == "LDG_32":
            word = put(put(word, 64, 8, 0), 81, 3, 7)
        word = put(word, 77, 4, chance.choice([5, 7, 10]))
        return word, ("w" if name in ("ST", "ATOM", "ATOM_CAS") and chance.random() < .4 else "g")
    if name == "QSPC":
        return put(word, 40, 24, 0), chance.choice("gwv")
    if row.unit in ("memory", "atomic") and name != "MOVM":
        return None
    if name in ("SHFL_RI", "SHFL_II"):
        return put(word, 40, 13, chance.choice([0x1f, 0x1c1f, 0, 0x181f, 0x1000, chance.randrange(1 << 13)])), "-"
    if name in ("UMOV", "UP2UR", "UR2UP"):
        word = put(word, 91, 1, 1)
    if name in ("S2R", "S2UR", "CS2R"):
        word = put(word, 72, 8, chance.choice(UNIFORM_SPECIAL_REGISTERS if name == "S2UR" else SPECIAL_REGISTERS))
        if name != "CS2R" and word >> 72 & 255 == 255:
            return None
    return word, "-"


def accepted(nvdisasm, words):
    """Of each word, whether the disassembler knows it and calls nothing in it invalid."""
    good = [True] * len(words)
    for _ in range(10):
        left = [n for n, ok in enumerate(good) if ok]
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            for n in left:
                file.write((words[n] | (15 | 7 << 5 | 7 << 8) << 105).to_bytes(16, "little"))
            file.flush()
            result = subprocess.run([nvdisasm, "-b", "SM90a", file.name], capture_output=True, text=True)
        for address in re.findall(r"at address 0x([0-9a-f]+)", result.stderr):
            good[left[int(address, 16) // 16]] = False
        if result.returncode == 0:
            for address, text in re.findall(r"/\*([0-9a-f]{4,})\*/\s+(.*)", result.stdout):
                if re.search(r"INVALID|\?\?\?|UNDEF", text):
                    good[left[int(address, 16) // 16]] = False
            return good
    raise SystemExit("the disassembler does not come to an end:\n" + result.stderr[:1000])


def main():
    lists, rows = table()
    made = []
    for fields in rows:
        row = Row(lists, fields)
        if not row.executed or row.last != 90 or row.unit not in UNITS or row.id in LEFT_OUT:
            continue
        chance = random.Random(row.id)
        seen, wanted = set(), []
        for form in row.forms or [0]:
            for n, (_, values) in enumerate(row.choices):
                wanted += [(form, n, variant) for variant in range(min(len(values), 16))]
            wanted += [(form, None, n) for n in range(6)]
        words = [word for word in compiled() if row.takes(word)]
        if row.id in COMPILED_ONLY:
            wanted = []
        if len(wanted) > 60:
            wanted = chance.sample(wanted, 60)
        chance.shuffle(words)
        wanted += [(word >> 9 & 7, "compiled", word) for word in words]
        chance.shuffle(wanted)
        for form, pick, variant in wanted * 3:
            one = special(row, encode(row, form, chance, pick, variant), chance)
            if one is not None and one[0] not in seen:
                seen.add(one[0])
                made.append((row.id, one[0], one[1], (row.id, form, pick, variant)))
    good = accepted(sys.argv[1], [one[1] for one in made])
    rows_seen, kept, offered = collections.Counter(), collections.Counter(), collections.Counter()
    for (row, word, address, want), ok in zip(made, good):
        offered[row] += 1
        if ok and rows_seen[want] < 1 and kept[row] < CASES_PER_ROW:
            rows_seen[want] += 1
            kept[row] += 1
            print(row, address, f"{word & (1 << 64) - 1:x} {word >> 64:x}")
    for row in offered:
        print(f"{row}: {kept[row]} of {offered[row]}", file=sys.stderr)


if __name__ == "__main__":
    main()
