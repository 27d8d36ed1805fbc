"""Small inputs for programs of HeCBench whose own are not in its repository: random values of a fixed seed, in the format of each."""
import random
import shutil
import struct


def lines(values):
    return "".join(f"{value}\n" for value in values)


def floats(source, count, least=0.0, most=1.0):
    return [f"{source.uniform(least, most):.6f}" for _ in range(count)]


def rows(source, count, columns, separator=" ", least=0.0, most=1.0):
    return lines(separator.join(floats(source, columns, least, most)) for _ in range(count))


def letters(source, count, alphabet):
    return "".join(source.choice(alphabet) for _ in range(count))


def fasta(source, count, least, most, alphabet):
    return "".join(f">{n}\n{letters(source, source.randint(least, most), alphabet)}\n" for n in range(count))


def bitmap(source, width, height):
    """A picture of 24 bits a pixel; `width` is a multiple of 4."""
    pixels = bytes(source.randrange(256) for _ in range(3 * width * height))
    return (b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) +
            struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0) + pixels)


def neighbours(source, nodes, degree):
    """Sorted neighbours of each node of a symmetric graph without loops."""
    found = [set() for _ in range(nodes)]
    for node in range(nodes):
        for other in [(node + 1) % nodes] + [source.randrange(nodes) for _ in range(degree // 2)]:
            if other != node:
                found[node].add(other)
                found[other].add(node)
    return [sorted(those) for those in found]


def starts(lists):
    at, found = 0, []
    for those in lists:
        found.append(at)
        at += len(those)
    return found, at


def rodinia_graph(source, nodes, degree, sized_first):
    """Nodes with where their edges begin and how many, a source, edges with their costs: Rodinia's text (`sized_first`: Chai's)."""
    lists = neighbours(source, nodes, degree)
    begins, edges = starts(lists)
    text = [f"{nodes} {edges} 0" if sized_first else f"{nodes}"]
    text += [f"{begin} {len(those)}" for begin, those in zip(begins, lists)]
    text += [] if sized_first else ["0", f"{edges}"]
    return lines(text + [f"{other} {source.randint(1, 10)}" for those in lists for other in those])


def ecl_graph(source, nodes, degree):
    lists = neighbours(source, nodes, degree)
    begins, edges = starts(lists)
    others = [other for those in lists for other in those]
    weights = [source.randint(1, 100) for _ in others]
    numbers = [nodes, edges] + begins + [edges] + others + weights
    return struct.pack(f"<{len(numbers)}i", *numbers)


def city_record(source):
    """49 bytes with a latitude and a longitude of five characters each from byte 28 on."""
    return f"{'x' * 28}{source.uniform(10, 60):5.1f}{source.uniform(10, 99):5.1f}{'y' * 10}"


def space_samples(source, samples, voxels):
    numbers = 3 * samples + 3 * voxels + 2 * samples
    return struct.pack("<ii", samples, voxels) + struct.pack(f"<{numbers}f", *(source.uniform(-1, 1) for _ in range(numbers)))


def edge_table(source, nodes, degree):
    lists = neighbours(source, nodes, degree)
    return "source,target,weight\n" + lines(f"{node},{other},{source.choice((-1, 1))}"
                                            for node, those in enumerate(lists) for other in those if node < other)


AMINO = "ARNDCQEGHILKMFPSTWYV"

# Program: file: its content, from a generator of random numbers.
INPUTS = {
    "aes": {"image.bmp": lambda r: bitmap(r, 64, 64)},
    "b+tree": {"mil.txt": lambda r: lines([5000] + r.sample(range(1, 100000), 5000)),
               "command.txt": lambda r: "j 256 50\nk 256\n"},
    "bfs": {"graph.txt": lambda r: rodinia_graph(r, 4096, 6, False)},
    "bsw": {"reference.fasta": lambda r: fasta(r, 64, 100, 300, AMINO), "query.fasta": lambda r: fasta(r, 64, 50, 100, AMINO)},
    "columnarSolver": {"bigrams.txt": lambda r: lines(f"{chr(97 + n // 26)}{chr(97 + n % 26)} {r.uniform(1, 9):.3f}" for n in range(676))},
    "d2q9-bgk": {"input.params": lambda r: lines([128, 128, 1010, 10, 0.1, 0.005, 1.7]),
                 "obstacles.dat": lambda r: lines(f"{n % 128} {127 if n < 128 else 0} 1" for n in range(256))},
    "deredundancy": {"data.fasta": lambda r: fasta(r, 64, 100, 400, "ACGT")},
    "floydwarshall2": {"graph.egr": lambda r: ecl_graph(r, 128, 6)},
    "geodesic": {"locations.txt": lambda r: rows(r, 1000, 2, " ", -80, 80)},
    "gibbs": {"data.csv": lambda r: lines(f"{r.randint(0, 20)} {r.uniform(1, 5):.3f}" for _ in range(1024))},
    "gmm": {"data.csv": lambda r: "a,b,c,d\n" + rows(r, 1024, 4, ",", 0, 10)},
    "graphB+": {"graph.csv": lambda r: edge_table(r, 500, 6)},
    "haversine": {"locations.txt": lambda r: rows(r, 1000, 2, " ", -80, 80)},
    "hotspot": {"temp.txt": lambda r: lines(floats(r, 64 * 64, 320, 340)), "power.txt": lambda r: lines(floats(r, 64 * 64, 0, 0.01))},
    "hotspot3D": {"temp3.txt": lambda r: lines(floats(r, 64 * 64 * 8, 320, 340)),
                  "power3.txt": lambda r: lines(floats(r, 64 * 64 * 8, 0, 0.01))},
    "kmeans": {"kmeans.txt": lambda r: lines(f"{n} " + " ".join(floats(r, 16, 0, 100)) for n in range(2000))},
    "lanczos": {"graph.txt": lambda r: lines(f"{node} {other}" for node, those in enumerate(neighbours(r, 500, 6)) for other in those)},
    "log2": {"small.config": lambda r: "ceilingVal 20000\nnumRepeats 1\nprecisions_count 3\nbits_of_precision 4 10 23\n"},
    "lzss": {"input.bin": lambda r: letters(r, 65536, "ab").encode()},
    "mcpr": {"alphas.txt": lambda r: rows(r, 1920, 21, " ", -3, 3)},
    "meanshift": {"data.csv": lambda r: rows(r, 1024, 3, ",", 0, 200), "centroids.csv": lambda r: rows(r, 3, 3, ",", 0, 200)},
    "mriQ": {"data.bin": lambda r: space_samples(r, 256, 4096)},
    "nn": {"files.txt": lambda r: "records.db\n", "records.db": lambda r: lines(city_record(r) for _ in range(1000))},
    "sa": {"genome.txt": lambda r: letters(r, 20000, "ACGT")},
    "sobel": {"image.bmp": lambda r: bitmap(r, 128, 128)},
    "ss": {"text.txt": lambda r: " ".join(r.choice(["clEnqueueNDRangeKernel", "work", "queue", "clFinish"]) for _ in range(20000))},
    "sssp": {"graph.txt": lambda r: rodinia_graph(r, 1024, 6, True)},
    "svd3x3": {"data.txt": lambda r: "2048\n" + rows(r, 2048, 9, " ", -1, 1)},
    "tonemapping": {"image.txt": lambda r: "128 128\n" + rows(r, 128 * 128, 4, " ", 0.01, 4)},
    "tpacf": {"data.1": lambda r: rows(r, 1024, 2, " ", 0, 90), "random.1": lambda r: rows(r, 1024, 2, " ", 0, 90),
              "random.2": lambda r: rows(r, 1024, 2, " ", 0, 90)},
}


# Files that a program wants beside it.
COPIES = {"mcmd": ["dataset/mcmd.inp", "dataset/input.pqr"]}


def write(program, folder):
    """Writes a program's inputs into its folder; returns their names."""
    source = random.Random(program)
    for name in COPIES.get(program, []):
        shutil.copy(folder / name, folder)
    for name, content in INPUTS.get(program, {}).items():
        made = content(source)
        (folder / name).unlink(missing_ok=True)  # it may be a link to another program's folder
        (folder / name).write_bytes(made if isinstance(made, bytes) else made.encode())
    return list(INPUTS.get(program, {}))
