#!/usr/bin/env python3
"""Records the fixture of the disassembler's tests: words and the text that the vendor's disassembler gives them.

    record.py NVDISASM OUT SAMPLES...

SAMPLES are what `sass_agreement -r` writes: "arch low high address text", one example of each shape of text.
Each shape of each architecture needs one word; a word is asked for all architectures, so that most shapes of the
others come for nothing. OUT: lines "architectures address high low text", sorted.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

ARCHITECTURES = (75, 80, 86, 89, 90)
CONTROL = 0x000FE20000000000  # no waits, no barriers
NOTHING = (0x7918, CONTROL)  # NOP


def ask(nvdisasm, architecture, words):
    """The texts of words that stand behind each other from address 0; None for words that are no instruction."""
    words, bad = list(words), set()
    if not words:
        return []
    while True:
        with tempfile.NamedTemporaryFile(suffix=".bin", delete=False) as file:
            file.write(b"".join(struct.pack("<QQ", *word) for word in words))
        run = subprocess.run([nvdisasm, "-b", f"SM{architecture}", "-ndf", file.name], capture_output=True, text=True, errors="replace")
        os.unlink(file.name)
        found = {int(address, 16) // 16 for address in re.findall(r"at address 0x([0-9a-f]+)", run.stderr)} - bad
        if not found:
            break
        bad |= found
        for n in found:
            words[n] = NOTHING
    if run.returncode:
        sys.exit(run.stderr)
    texts = [None] * len(words)
    for line in run.stdout.splitlines():
        match = re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;?\s*(?:/\*.*)?$", line)
        if match and int(match[1], 16) // 16 not in bad:
            texts[int(match[1], 16) // 16] = normal(match[2])
    return texts


def normal(text):
    """As tools/agreement.cpp does: no reuse flags, no padding, spelled as Nsight Compute does."""
    text = re.sub(r"^(@!?U?P\w+) +", r"\1 ", text.replace(".reuse", "")).rstrip(" ;")
    text = re.sub(r"\b((?:RET|BRX|CALL|JMX)\.?\S* (?:!?P\w, )?U?R\w+) (-?0x)", r"\1, \2", text)
    return re.sub(r"^((?:@\S+ )?LDGSTS\S*) (\[[^,]*\]), ((?:desc\[\w+\])?\[[^,]*\])", r"\1 \3, \2", text)


def shape(text):
    text = re.sub(r"^@!?U?P\w+ ", "", text)
    return re.sub(r"-?0x[0-9a-f]+|(?<![\w.])-?\d+(\.\d+)?(e[+-]?\d+)?\b|\b(U?[RPB])\d+\b", lambda match: match[3] or "#", text)


def ranges(architectures):
    """"75-90", "80,90": runs of neighbours in ARCHITECTURES."""
    runs = []
    for n in sorted(ARCHITECTURES.index(a) for a in architectures):
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ",".join(f"{ARCHITECTURES[a]}" if a == b else f"{ARCHITECTURES[a]}-{ARCHITECTURES[b]}" for a, b in runs)


def samples(paths):
    for path in paths:
        with open(path, encoding="ascii", errors="replace") as file:
            for line in file:
                fields = line.rstrip("\n").split("\t")
                if len(fields) == 5:
                    yield int(fields[0]), (int(fields[1], 16), int(fields[2], 16)), fields[4]


def main(nvdisasm, out, paths):
    wanted = {}
    for architecture, word, text in samples(paths):
        wanted.setdefault((architecture, shape(text)), word)
    covered, lines = set(), {}
    # The architecture with most instructions first; what its words cover of the others need not be asked again.
    for architecture in (90, 75, 80, 89, 86):
        words = sorted({word for key, word in wanted.items() if key[0] == architecture and key not in covered})
        texts = {a: ask(nvdisasm, a, [(low, high | CONTROL) for low, high in words]) for a in ARCHITECTURES}
        for n, word in enumerate(words):
            answers = {}
            for a in ARCHITECTURES:
                text = texts[a][n]
                if text and not re.search(r"\?\?\?|INVALID|__HIR", text):
                    answers.setdefault(text, []).append(a)
            new = False
            for text, architectures in answers.items():
                for a in architectures:
                    new |= (a, shape(text)) not in covered
                    covered.add((a, shape(text)))
            if new:
                # The address only matters to targets.
                for text, architectures in answers.items():
                    address = 16 * n if re.search(r"\b(BRA|BRX|BSSY|CALL|RET|WARPSYNC|LEPC|JMP|JMX)\b", text) else 0
                    lines[(text, word, address)] = architectures
    with open(out, "w", encoding="ascii") as file:
        for (text, (low, high), address), architectures in sorted(lines.items(), key=lambda item: (re.sub(r"^@\S+ ", "", item[0][0]), item[0])):
            file.write(f"{ranges(architectures)} {address:x} {high:x} {low:x} {text}\n")
    print(f"{len(lines)} lines for {len(covered)} shapes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
