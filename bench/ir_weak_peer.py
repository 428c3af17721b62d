#!/usr/bin/env python3
"""The weak-type passes of Weft beside those of tinygrad 0.14.0, on the same graphs in the same run.

usage: bench/ir_weak_peer.py [--build FOLDER] [--plot FILE.svg]

Runs bench_ir_weak from 1 k to 1 M nodes, then builds its graphs up to 10 k nodes in tinygrad (from PyPI, into the build
folder) and times the passes that do the same there: pm_lower_index_dtype, which commits and lowers, and pm_casted_consts.
Prints nodes per second and their ratio, and draws time against nodes.
"""
import argparse, json, math, pathlib, statistics, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES, PEER_SIZES = (1000, 10000, 100000, 1000000), (1000, 3000, 10000)


def weft_times(program, sizes):
  names = "|".join(f"{kind}/{n}" for kind in ("deep", "wide") for n in sizes)
  out = subprocess.run([program, f"--benchmark_filter=^({names})$", "--benchmark_format=json", "--benchmark_repetitions=3",
                        "--benchmark_report_aggregates_only=true"], check=True, capture_output=True, text=True).stdout
  times = {}
  for b in json.loads(out)["benchmarks"]:
    if b.get("aggregate_name") != "median" or "/" not in b["run_name"]: continue
    kind, n = b["run_name"].split("/")[:2]
    times[kind, int(n)] = b["cpu_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[b["time_unit"]]
  return times


def peer(folder):
  if not (folder / "tinygrad").exists():
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
                    "--target", str(folder), "tinygrad==0.14.0"], check=True)
  sys.path.insert(0, str(folder))
  sys.setrecursionlimit(1 << 20)


def build(nodes):
  from tinygrad.dtype import dtypes
  from tinygrad.uop.ops import Ops, UOp
  made, types = {}, {"float32": dtypes.float, "weakint": dtypes.weakint, "weakfloat": dtypes.weakfloat}
  for n in nodes:
    src = [made[i] for i in n["src"]]
    match n["op"]:
      case "CONST":
        kind, value = n["arg"].split(":", 1)
        u = UOp.const(int(value) if kind == "i" else float.fromhex(value), types[n["dtype"]])
      case "PARAM": u = UOp.placeholder((1 << 20,), dtypes.float, 1)
      case "RANGE": u = UOp.range(src[0], len(made))
      case "CAST": u = src[0].cast(types[n["dtype"]])
      case "INDEX": u = src[0].index(src[1])
      case "STORE": u = src[0].store(src[1])
      case "SINK": u = UOp.sink(*src)
      case op: u = src[0].alu(Ops[op], src[1])
    made[n["id"]] = u
  return u


def peer_time(nodes):
  from tinygrad.codegen import pm_casted_consts
  from tinygrad.uop.ops import graph_rewrite
  from tinygrad.uop.weak import pm_lower_index_dtype
  times = []
  for _ in range(3 if len(nodes) <= 1000 else 1):  # it takes minutes for 10 k nodes
    sink = build(nodes)
    begin = time.process_time()
    graph_rewrite(graph_rewrite(sink, pm_lower_index_dtype, ctx={}), pm_casted_consts, walk=True)
    times.append(time.process_time() - begin)
    del sink
  return statistics.median(times)


def plot(path, series):
  """Time against nodes, both logarithmic: one line of points for each series."""
  w, h, left, bottom = 640, 400, 60, 40
  x = lambda n: left + (math.log10(n) - 3) / 3 * (w - left - 150)
  y = lambda t: h - bottom - (math.log10(t) + 4) / 5 * (h - bottom - 20)
  parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" font-family="sans-serif" font-size="12">',
           f'<rect width="{w}" height="{h}" fill="white"/>']
  for e in range(3, 7):
    parts.append(f'<text x="{x(10**e):.0f}" y="{h - bottom + 18}" text-anchor="middle">10^{e}</text>'
                 f'<path d="M{x(10**e):.0f} {h - bottom}V20" stroke="#ddd"/>')
  for e in range(-4, 2):
    parts.append(f'<text x="{left - 6}" y="{y(10**e) + 4:.0f}" text-anchor="end">10^{e} s</text>'
                 f'<path d="M{left} {y(10**e):.0f}H{w - 150}" stroke="#ddd"/>')
  for (name, points), colour in zip(series.items(), ("#1668c7", "#3fa7d6", "#c7421a", "#e8912d")):
    at = [(x(n), y(t)) for n, t in points]
    parts.append(f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in at)}" fill="none" stroke="{colour}" stroke-width="2"/>')
    parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in at]
    parts.append(f'<text x="{at[-1][0] + 8:.0f}" y="{at[-1][1] + 4:.0f}" fill="{colour}">{name}</text>')
  parts.append(f'<text x="{(left + w - 150) / 2:.0f}" y="{h - 6}" text-anchor="middle">nodes of the graph</text></svg>')
  pathlib.Path(path).write_text("\n".join(parts))


def main():
  args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  args.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
  args.add_argument("--plot", type=pathlib.Path, default=ROOT / "build/ir_weak.svg")
  args = args.parse_args()
  program = str(args.build / "bin/bench_ir_weak")
  peer(ROOT / "build/deps/peers")
  ours = weft_times(program, SIZES)
  series = {f"Weft, {kind}": [(n, ours[kind, n]) for n in SIZES] for kind in ("deep", "wide")}
  for (kind, n), t in ours.items(): print(f"weft      {kind} {n:>8} nodes  {t * 1e3:>9.2f} ms  {n / t / 1e6:6.2f} M nodes/s")
  for kind in ("deep", "wide"):
    points = []
    for n in PEER_SIZES:
      graph = subprocess.run([program, "--graph", kind, str(n)], check=True, capture_output=True, text=True).stdout
      points.append((n, t := peer_time(json.loads(graph))))
      rate = f", Weft has {t / ours[kind, n]:.0f} times the rate" if (kind, n) in ours else ""
      print(f"tinygrad  {kind} {n:>8} nodes  {t * 1e3:>9.2f} ms  {n / t / 1e6:6.3f} M nodes/s{rate}")
    series[f"tinygrad, {kind}"] = points
  plot(args.plot, series)
  print(f"wrote {args.plot}")


if __name__ == "__main__": main()
