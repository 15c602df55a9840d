#!/usr/bin/env python3
"""page.py BUILD GPU…: writes doc/vendors.md (`scripts/vendors page`) from `vkmatmul statistics` of these GPUs.

before.json has the same figures of commit 3a23d86 with the commands of a3ad397, dfeb3a9 and 990369d added to it, which
waited 20 s for each pipeline.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re

import check

BEFORE = pathlib.Path(__file__).with_name("before.json")
TYPES = ("f32", "f64", "f16", "i8")
# The GPUs whose cycles are compared too: their drivers report cycles, and most desktops have one of them.
CYCLES = ("intel-dg2@backports", "intel-bmg@backports", "amd-navi31", "amd-vega10")
SIZES = ("4096", "1024", "256", "4096x8x4096")
NOTHING = {"spills": {}, "cycles": {}}
HEAD = """# What the drivers of other GPUs make of vkmatmul's kernels

Written by `scripts/vendors page`; do not edit. The drivers are Mesa's, without their GPUs: what they compile is what they
would run, but nothing was run. Names that end in `@backports`, nvk, adreno and apple: Mesa of Debian 13's backports; all
others: Mesa of Debian 13. `scripts/vendors list` says which GPU a name means.

*Before*: the planner of commit 3a23d86, which knew nothing of registers.

"""
SPILLS_HEAD = """
## Registers spilled

The most that a pipeline spills, before → now, of all that the planner chooses for eleven sizes with nothing transposed.
"–": not chosen, or not measured. "?": the driver does not report spills. "n fail": n pipelines do not compile, or not
within 20 s (before) or 120 s (now); products then take another kernel.

| GPU | kernel | """ + " | ".join(TYPES) + " |\n|---|---" + "|---" * len(TYPES) + """|
"""
CYCLES_HEAD = """
## Static cycles per element of C

As estimated by the driver's compiler, divided by the elements along K per step, because a compiler does not know how many
steps a loop takes. Tiles that are larger than C count whole. Totals compare only on one GPU. "–": not measured.

| GPU | type | size | kernel before | before | kernel now | now |
|---|---|---|---|---|---|---|
"""


def per_element(row):
    """Cycles of a step, for each element of C and along K; None if the driver reports none. A tile larger than C is partly
    wasted."""
    depth = re.search(r"\bdepth=(\d+)", row["config"] or "")
    if row["kernel"] == "reduce" or not depth or row["cycles_per_output"] is None:
        return None
    wasted = math.prod(math.ceil(extent / tile) * tile / extent
                       for extent, tile in zip((row["problem"]["m"], row["problem"]["n"]), row["tile"]))
    return row["cycles_per_output"] * wasted / int(depth[1])


def measure(program, gpu):
    """{"spills": {kernel type: [most or None, pipelines, errors, spilling]}, "cycles": {type size: [kernel, cycles]}}"""
    figures = {"spills": {}, "cycles": {}}
    for kind in TYPES:
        for row in check.statistics(program, gpu, "--type", kind):
            entry = figures["spills"].setdefault(f"{row['kernel']} {kind}", [None, 0, 0, 0])
            if row["spills"] is not None:
                entry[0] = max(entry[0] or 0, row["spills"])
            entry[1] += 1
            entry[2] += bool(row["error"])
            entry[3] += bool(row["spills"])
        for size in SIZES if gpu in CYCLES else ():
            for row in check.statistics(program, gpu, "--type", kind, "--size", size):
                if (value := per_element(row)) is not None:
                    figures["cycles"][f"{kind} {size}"] = [row["kernel"], value]
    return figures


def show(entry):
    if entry is None:
        return "–"
    text = "?" if entry[0] is None else str(entry[0])
    return f"{entry[2]} fail" if entry[2] == entry[1] else text + (f", {entry[2]} fail" if entry[2] else "")


def change(old, new):
    return "–" if old is None and new is None else f"{show(old)} → {show(new)}"


def number(value):
    return "–" if value is None else f"{value:.1f}"


def summary(before, now):
    """How many pipelines of all GPUs spill, or fail."""
    def count(of, index):
        return sum(entry[index] for gpu in now if gpu in before for entry in of[gpu]["spills"].values())
    both = sum(gpu in before for gpu in now)
    return f"Of {len(now)} pairs of GPU and driver, {both} were measured before, too:\n\n" + "".join(
        f"- {name}: {count(of, 1)} pipelines, of which {count(of, 3)} spill and {count(of, 2)} fail.\n"
        for name, of in (("Before", before), ("Now", now)))


def spills(before, now):
    text = ""
    for gpu in now:
        old, new = before.get(gpu, NOTHING)["spills"], now[gpu]["spills"]
        for kernel in sorted({name.split()[0] for name in old.keys() | new.keys()}):
            cells = [change(old.get(f"{kernel} {kind}"), new.get(f"{kernel} {kind}")) for kind in TYPES]
            text += f"| {gpu} | {kernel} | {' | '.join(cells)} |\n"
    return text


def cycles(old, new):
    """The rows of one GPU: sizes that have figures of both count in the total."""
    text, totals = "", [0, 0]
    for name in (f"{kind} {size}" for kind in TYPES for size in SIZES):
        if name not in old and name not in new:
            continue
        (old_kernel, was), (kernel, value) = old.get(name, ["–", None]), new.get(name, ["–", None])
        text += f"{' | '.join(name.split())} | {old_kernel} | {number(was)} | {kernel} | {number(value)}\n"
        if was is not None and value is not None:
            totals = [totals[0] + was, totals[1] + value]
    return text + f"all | total | | {number(totals[0])} | | {number(totals[1])}\n"


def page(before, now):
    text = HEAD + summary(before, now) + SPILLS_HEAD + spills(before, now) + CYCLES_HEAD
    for gpu in (gpu for gpu in CYCLES if gpu in now):
        for line in cycles(before.get(gpu, NOTHING)["cycles"], now[gpu]["cycles"]).splitlines():
            text += f"| {gpu} | {line} |\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("gpus", nargs="+")
    args = parser.parse_args()
    program = args.build.resolve() / "src/tool/vkmatmul"
    before = json.loads(BEFORE.read_text(encoding="utf-8"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        figures = dict(zip(args.gpus, pool.map(lambda gpu: measure(program, gpu), args.gpus)))
    (check.ROOT / "doc/vendors.md").write_text(page(before, figures), encoding="utf-8")


if __name__ == "__main__":
    main()
