"""numpy's copies of the patterns of bench_relayout, 64 MiB of floats each: run both, one after the other, and compare.

    python3 bench/relayout_peer.py        (numpy; `pip install numpy` in a virtual environment)
"""
import statistics
import time

import numpy as np

n = 4096
square = np.arange(n * n, dtype=np.float32).reshape(n, n)
tight = np.arange(n * 4000, dtype=np.float32).reshape(n, 4000)


def pad():
    out = np.empty((n, n), np.float32)
    out[:, :4000] = tight
    out[:, 4000:] = 0
    return out


patterns = {
    "contiguous": lambda: square.copy(),
    "transpose": lambda: square.T.copy(),
    "pad": pad,
    "tile": lambda: square.reshape(128, 32, 128, 32).transpose(0, 2, 1, 3).copy(),
    "bit_interleave": lambda: square.reshape(-1, 2, 32).transpose(0, 2, 1).copy(),
    "channels_to_planes": lambda: square.reshape(-1, 4).T.copy(),
}
# The same into memory that is there already, as bench_relayout does.
into = {
    "contiguous": lambda out: np.copyto(out, square),
    "transpose": lambda out: np.copyto(out, square.T),
    "tile": lambda out: np.copyto(out.reshape(128, 128, 32, 32), square.reshape(128, 32, 128, 32).transpose(0, 2, 1, 3)),
    "bit_interleave": lambda out: np.copyto(out.reshape(-1, 32, 2), square.reshape(-1, 2, 32).transpose(0, 2, 1)),
    "channels_to_planes": lambda out: np.copyto(out.reshape(4, -1), square.reshape(-1, 4).T),
}


def milliseconds(f, *args):
    times = []
    for _ in range(15):
        start = time.perf_counter()
        f(*args)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


out = np.zeros((n, n), np.float32)
for name, f in patterns.items():
    line = f"{name:20} copy {milliseconds(f):7.2f} ms"
    if name in into:
        line += f"   into memory that is there {milliseconds(into[name], out):7.2f} ms"
    print(line)
