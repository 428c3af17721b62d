#!/usr/bin/env python3
"""The weak-type passes of Weft beside those of tinygrad 0.14.0, on the same graphs in the same run.

usage: bench/ir_weak_peer.py [--build FOLDER] [--plot FILE.svg]

Runs bench_ir_weak from 1 k to 1 M nodes, then builds its graphs up to 10 k nodes in tinygrad (from PyPI, as matplotlib,
into the build folder) and times the passes that do the same there: pm_lower_index_dtype, which commits and lowers, and
pm_casted_consts.
Prints nodes per second and their ratio, and draws time against nodes.
"""
import argparse, json, pathlib, statistics, subprocess, sys, time

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
  if not (folder / "tinygrad").exists() or not (folder / "matplotlib").exists():
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
                    "--upgrade", "--target", str(folder), "tinygrad==0.14.0", "matplotlib==3.9.4"], check=True)
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
  import matplotlib
  matplotlib.use("svg")
  matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "ir_weak"})  # text as text, the same file each time
  from matplotlib import pyplot
  figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
  for name, points in series.items(): axes.loglog(*zip(*points), marker="o", label=name)
  axes.set_xlabel("nodes of the graph")
  axes.set_ylabel("seconds through the three passes")
  axes.grid(alpha=0.3)
  axes.legend()
  figure.savefig(path, metadata={"Date": None})


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
