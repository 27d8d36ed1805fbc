#!/usr/bin/env python3
"""Makes the Debian package of a build and looks at it, and runs the command from its unpacked files.

    package.py CPACK CONFIG SCRATCH SOURCE

Uncompressed and without dpkg-shlibdeps, which takes longer than all else: what the binaries need is read from them.
"""
import gzip
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

cpack, config, scratch, source = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


shutil.rmtree(scratch, ignore_errors=True)
scratch.mkdir(parents=True)
made = subprocess.run([cpack, "-G", "DEB", "--config", config, "-B", str(scratch), "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none",
                       "-D", "CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF"], cwd=scratch, capture_output=True, text=True)
packages = list(scratch.glob("*.deb"))
if made.returncode != 0 or len(packages) != 1:
    sys.exit(f"cpack ended with {made.returncode}: {made.stdout}{made.stderr}")
package = packages[0]
root = scratch / "root"
subprocess.run(["dpkg-deb", "-x", str(package), str(root)], check=True)

files = {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}
wanted = {"usr/bin/lanebank", "usr/lib/lanebank/liblanebank_preload.so", "usr/lib/lanebank/liblanebank_engine.so",
          "usr/lib/lanebank/stubs/libcuda.so.1", "usr/lib/lanebank/stubs/libcudart.so.13", "usr/lib/liblanebank_cudart.so",
          "usr/lib/cmake/lanebank/lanebankConfig.cmake", "usr/lib/cmake/lanebank/lanebankConfigVersion.cmake",
          "usr/lib/cmake/lanebank/LanebankAddTest.cmake", "usr/share/man/man1/lanebank.1.gz",
          "usr/share/bash-completion/completions/lanebank", "usr/share/zsh/vendor-completions/_lanebank",
          "usr/share/fish/vendor_completions.d/lanebank.fish", "usr/share/doc/lanebank/copyright",
          "usr/share/doc/lanebank/changelog.Debian.gz", "usr/share/doc/lanebank/README.md"}
for folder, pattern, there in (("include", "**/*.*", "usr/include"), ("share/lanebank", "**/*.json", "usr/share/lanebank"),
                               ("docs", "*.md", "usr/share/doc/lanebank")):
    wanted |= {f"{there}/{path.relative_to(source / folder)}" for path in (source / folder).glob(pattern) if path.is_file()}
expect(wanted <= files, f"not in the package: {sorted(wanted - files)}")
for name in sorted(files):
    expect(re.match(r"usr/(bin|include/lanebank|lib|share)/", name), f"a file where none belongs: {name}")
    mode = (root / name).stat().st_mode
    expect(bool(mode & stat.S_IXUSR) == name.startswith("usr/bin/") and not mode & stat.S_IWOTH, f"mode {mode:o} of {name}")

control = output("dpkg-deb", "-f", str(package))
for line in (r"Package: lanebank", r"Version: \d+\.\d+\.\d+-\d+", r"Maintainer: .+ <.+@.+>"):
    expect(re.search(f"^{line}", control, re.MULTILINE), f"control lacks {line}:\n{control}")
system = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
for name in sorted(files):
    if shutil.which("readelf") and (name.startswith("usr/bin/") or ".so" in name):
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", str(root / name))))
        expect(needed <= system, f"{name} needs {sorted(needed - system)}")
page = gzip.open(root / "usr/share/man/man1/lanebank.1.gz", "rt").read()
expect("lanebank run" in page.replace("\\-", "-"), "the manual page says nothing of lanebank run")

# Moved, it still finds its libraries.
run = subprocess.run([str(root / "usr/bin/lanebank"), "run", "--", "/bin/true"], capture_output=True, text=True)
expect(run.returncode == 121, f"lanebank run -- /bin/true ended with {run.returncode}: {run.stderr}")

shutil.rmtree(scratch)
for failure in failures:
    print(failure)
print(f"{len(files)} files, {len(failures)} failures")
sys.exit(bool(failures))
