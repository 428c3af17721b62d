"""The patterns of bench_relayout beside numpy, 64 MiB of floats each: in turn, three rounds, medians.

    python3 bench/relayout_peer.py --build build/release      (numpy; `pip install numpy` in a virtual environment)

`copy` is numpy's .copy() of the permuted view, which makes its memory; `into` is np.copyto into memory that is there, as
relayout does. `ratio` is numpy's better time over ours: above 1, ours is faster.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import time

import numpy as np

n = 4096
square = np.arange(n * n, dtype=np.float32).reshape(n, n)
tight = np.arange(n * 4000, dtype=np.float32).reshape(n, 4000)


def pad(out):
    out[:, :4000] = tight
    out[:, 4000:] = 0


# Each: the copy, and the copy into memory that is there.
patterns = {
    "contiguous": (square.copy, lambda out: np.copyto(out, square)),
    "transpose": (square.T.copy, lambda out: np.copyto(out, square.T)),
    "pad": (lambda: pad(np.empty((n, n), np.float32)), pad),
    "tile": (
        square.reshape(128, 32, 128, 32).transpose(0, 2, 1, 3).copy,
        lambda out: np.copyto(out.reshape(128, 128, 32, 32), square.reshape(128, 32, 128, 32).transpose(0, 2, 1, 3)),
    ),
    "bit_interleave": (
        square.reshape(-1, 2, 32).transpose(0, 2, 1).copy,
        lambda out: np.copyto(out.reshape(-1, 32, 2), square.reshape(-1, 2, 32).transpose(0, 2, 1)),
    ),
    "channels_to_planes": (
        square.reshape(-1, 4).T.copy,
        lambda out: np.copyto(out.reshape(4, -1), square.reshape(-1, 4).T),
    ),
}


def milliseconds(f, *args):
    times = []
    for _ in range(15):
        start = time.perf_counter()
        f(*args)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def ours(build, name):
    program = pathlib.Path(build) / "bin" / "bench_relayout"
    run = subprocess.run([program, f"--benchmark_filter=^host/{name}/", "--benchmark_format=json"],
                         capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)["benchmarks"][0]
    return found["ours_ms"], found["hand_ms"]


parser = argparse.ArgumentParser()
parser.add_argument("--build", default="build/release")
arguments = parser.parse_args()
out = np.zeros((n, n), np.float32)
print(f"{'pattern':20} {'weft':>8} {'by hand':>8} {'copy':>8} {'into':>8} {'ratio':>6}   (ms, numpy {np.__version__})")
for name, (copy, into) in patterns.items():
    rounds = []
    for _ in range(3):
        rounds.append((*ours(arguments.build, name), milliseconds(copy), milliseconds(into, out)))
    weft, hand, copied, put = (statistics.median(column) for column in zip(*rounds))
    print(f"{name:20} {weft:8.2f} {hand:8.2f} {copied:8.2f} {put:8.2f} {min(copied, put) / weft:6.2f}")
