"""Seconds to compile a file with 100 distinct mappings, each with its size and a cell as constants (target: 5).

    python3 bench/compile_mappings.py [COMPILER...]      (g++ and clang++-19 by default)
"""
import pathlib
import subprocess
import sys
import tempfile
import time

forms = [
    "B / {n}, A, B % {n}",
    "A # {p}, B / {n} % 4, C",
    "[A, B] / {n}, [A, B] % {n}, {p}",
    "[[A / 8, C # 64] # {p}, B % 8] / {n}, D #{{0}} 16",
    "C / 6, B # {p}, C % 6, A / {n}",
]
lines = ["#include <weft/mapping.hpp>", "WEFT_AXES(A = 64, B = 512, C = 60, D = 12)"]
for i in range(100):
    text = forms[i % 5].format(n=[2, 4, 8, 16, 32][i // 5 % 5], p=640 + 32 * i)
    lines.append(f"constexpr weft::Mapping M{i} = WEFT_M({text});")
    lines.append(f"constexpr weft::Cell C{i} = M{i}.map({i});")
    lines.append(f"static_assert(M{i}.size() > {i} && C{i} == M{i}.map({i}));")
lines.append("int main() {}")

include = pathlib.Path(__file__).resolve().parent.parent / "include"
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "mappings.cpp"
    source.write_text("\n".join(lines) + "\n")
    for compiler in sys.argv[1:] or ["g++", "clang++-19"]:
        start = time.perf_counter()
        subprocess.run([compiler, "-std=c++20", "-O2", f"-I{include}", "-c", source, "-o", source.with_suffix(".o")],
                       check=True)
        print(f"{compiler}: {time.perf_counter() - start:.2f} s")
