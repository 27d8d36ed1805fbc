#!/usr/bin/env python3
"""Draws what the programs of bench/gpu measured: bench/results/h200/NAME.csv becomes docs/plots/NAME.svg.

    bench/plot.py            all
    bench/plot.py --check    ends with 1 when a drawing is not what its file of results gives

A row is a case, a bar a contender; its length is the fraction of the peer (the line at 1), its label the speed.
"""
import csv
import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLOURS = ["#2f6fde", "#d9822b", "#3d9970", "#8e5bd0", "#b03a5b", "#7a7a7a", "#17a2b8", "#a0522d", "#9acd32", "#e377c2"]
ROW, GAP, LABEL, WIDTH, FIGURE = 11, 7, 300, 420, 150


def read(path):
    """The cases in order: (family and case, [(contender, speed, fraction)]); the unit of speed."""
    cases, unit = {}, "GB/s"
    for row in csv.reader(line for line in path.read_text().splitlines() if not line.startswith(("#", "target,"))):
        if len(row) > 7:  # a contender's name with a comma
            row[2:-4] = [",".join(row[2:-4])]
        if len(row) != 7 or "" in row[5:]:
            continue
        if row[0] == "family":
            unit = "TFLOP/s" if row[5] == "TFLOPs" else "GFLOP/s" if path.stem == "convolution" else "GB/s"
            continue
        cases.setdefault(f"{row[0]} {row[1]}", []).append((row[2], float(row[5]), float(row[6])))
    return cases, unit


def draw(name, cases, unit):
    contenders = list(dict.fromkeys(one[0] for bars in cases.values() for one in bars))
    longest = max(one[2] for bars in cases.values() for one in bars)
    scale = WIDTH / max(1.05, min(longest, 2.5))
    body, y = [], 46 + 14 * ((len(contenders) + 2) // 3)
    top = y
    for case, bars in cases.items():
        middle = y + ROW * len(bars) / 2 + 4
        body.append(f'<text x="{LABEL - 8}" y="{middle:.1f}" text-anchor="end">{html.escape(case)}</text>')
        for contender, speed, fraction in bars:
            colour = COLOURS[contenders.index(contender) % len(COLOURS)]
            length = min(fraction * scale, WIDTH)
            body.append(f'<rect x="{LABEL}" y="{y}" width="{length:.1f}" height="{ROW - 2}" fill="{colour}">'
                        f"<title>{html.escape(contender)}: {speed:g} {unit}, {fraction:.3f}</title></rect>")
            body.append(f'<text x="{LABEL + max(length, scale) + 4:.1f}" y="{y + 8}" class="small">{fraction:.3f}   {speed:g} {unit}</text>')
            y += ROW
        y += GAP
    line = LABEL + scale
    legend = []
    for n, contender in enumerate(contenders):
        x, at = 12 + n % 3 * 260, 38 + n // 3 * 14
        legend.append(f'<rect x="{x}" y="{at - 8}" width="9" height="9" fill="{COLOURS[n % len(COLOURS)]}"/>'
                      f'<text x="{x + 14}" y="{at}">{html.escape(contender)}</text>')
    width = LABEL + WIDTH + FIGURE
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 10}" viewBox="0 0 {width} {y + 10}" role="img">',
        f"<title>{name} on an H200: fraction of the peer</title>",
        "<style>text{font:10px sans-serif;fill:#222}.small{font-size:8px}.head{font-size:13px;font-weight:bold}"
        ".back{fill:#fff}.peer{stroke:#222}@media(prefers-color-scheme:dark){text{fill:#ddd}.back{fill:#161616}.peer{stroke:#ddd}}</style>",
        f'<rect class="back" width="{width}" height="{y + 10}"/>',
        f'<text x="12" y="18" class="head">{name.replace("_", ", ")} on an H200: speed, and its fraction of the peer</text>',
        *legend, *body,
        f'<line class="peer" x1="{line:.1f}" x2="{line:.1f}" y1="{top - 4}" y2="{y}" stroke-dasharray="3 2"/>', "</svg>", ""])


def main():
    wrong = []
    folder = ROOT / "docs" / "plots"
    for path in sorted((ROOT / "bench" / "results" / "h200").glob("*.csv")):
        if path.stem.endswith("_sweep"):
            continue
        picture, target = draw(path.stem, *read(path)), folder / (path.stem + ".svg")
        if "--check" in sys.argv[1:]:
            if not target.exists() or target.read_text() != picture:
                wrong.append(target.relative_to(ROOT))
        else:
            folder.mkdir(exist_ok=True)
            target.write_text(picture)
    for one in wrong:
        print(f"{one} is not what its results give: bench/plot.py draws it anew")
    return bool(wrong)


sys.exit(main())
