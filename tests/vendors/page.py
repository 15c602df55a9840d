#!/usr/bin/env python3
"""page.py BUILD [--before] GPU…: writes doc/vendors.md (`scripts/vendors page`) from `vkmatmul statistics` of these GPUs.

With --before: writes the same figures to before.json instead, for later pages to compare with. A GPU that is
not named keeps its figures of before, and is left out of the page.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re

import check

BEFORE = pathlib.Path(__file__).with_name("before.json")
TYPES = ("f32", "f64", "f16", "i8")
# Of these, cycles are compared too: they report them, and are the GPUs of most desktops.
CYCLES = ("intel-dg2@backports", "intel-bmg@backports", "amd-navi31", "amd-vega10")
SIZES = ("4096", "1024", "256", "4096x8x4096")
HEAD = """# What the drivers of other GPUs make of vkmatmul's kernels

Written by `scripts/vendors page`; do not edit. The drivers are Mesa's, without their GPUs: what they compile is what they
would run, but nothing was run. Names that end in `@backports`, nvk, adreno and apple: Mesa of Debian 13's backports; all
others: Mesa of Debian 13. `scripts/vendors list` says which GPU a name means; those that are missing here have not been
measured yet.

## Registers spilled

The most that a pipeline spills, of all that the planner chooses for eleven sizes, with the number of pipelines in
parentheses. *Before*: by the planner of commit 3a23d86, which knew nothing of registers. "–": not measured, or not
chosen. "?": the driver does not report it.

| GPU | kernel | type | before | now |
|---|---|---|---|---|
"""
CYCLES_HEAD = """
## Static cycles per element of C

As estimated by the driver's compiler, divided by the elements along K per step, because a compiler does not know how many
steps a loop takes. Totals compare only on one GPU. *Before*: by the planner of commit eb400c4 without its budgets of
registers (`src/lib/kernel/budget.c`). "–": not measured.

| GPU | type | size | kernel before | before | kernel now | now |
|---|---|---|---|---|---|---|
"""


def measure(program, gpu):
    """{"spills": {kernel type: [most or None, pipelines, errors]}, "cycles": {type size: [kernel, cycles]}}"""
    figures = {"spills": {}, "cycles": {}}
    for row in check.statistics(program, gpu, "--type", ",".join(TYPES)):
        entry = figures["spills"].setdefault(f"{row['kernel']} {row['problem']['type']}", [None, 0, 0])
        if row["spills"] is not None:
            entry[0] = max(entry[0] or 0, row["spills"])
        entry[1] += 1
        entry[2] += bool(row["error"])
    for size in SIZES if gpu in CYCLES else ():
        for row in check.statistics(program, gpu, "--type", ",".join(TYPES), "--size", size):
            depth = re.search(r"\bdepth=(\d+)", row["config"] or "")
            if row["kernel"] != "reduce" and depth and row["cycles_per_output"] is not None:
                figures["cycles"][f"{row['problem']['type']} {size}"] = \
                    [row["kernel"], row["cycles_per_output"] / int(depth[1])]
    return figures


def show(entry):
    if entry is None:
        return "–"
    text = f"{'?' if entry[0] is None else entry[0]} ({entry[1]})"
    return text + (f", {entry[2]} not compiled" if entry[2] else "")


def number(value):
    return "–" if value is None else f"{value:.1f}"


def page(before, now):
    text = HEAD
    for gpu, figures in now.items():
        old = before.get(gpu, {"spills": {}})["spills"]
        for name in sorted(old.keys() | figures["spills"].keys()):
            text += f"| {gpu} | {' | '.join(name.split())} | {show(old.get(name))} | {show(figures['spills'].get(name))} |\n"
    text += CYCLES_HEAD
    for gpu in (gpu for gpu in CYCLES if gpu in now):
        old, totals = before.get(gpu, {"cycles": {}})["cycles"], [0, 0]
        for name, (kernel, cycles) in now[gpu]["cycles"].items():
            old_kernel, old_cycles = old.get(name, ["–", None])
            text += f"| {gpu} | {' | '.join(name.split())} | {old_kernel} | {number(old_cycles)} | {kernel} | " \
                    f"{number(cycles)} |\n"
            if old_cycles is not None and cycles is not None:
                totals = [totals[0] + old_cycles, totals[1] + cycles]
        if totals[0] > 0:
            text += f"| {gpu} | all | total | | {number(totals[0])} | | {number(totals[1])} |\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--before", action="store_true")
    parser.add_argument("gpus", nargs="+")
    args = parser.parse_args()
    program = args.build.resolve() / "src/tool/vkmatmul"
    before = json.loads(BEFORE.read_text(encoding="utf-8")) if BEFORE.exists() else {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        figures = dict(zip(args.gpus, pool.map(lambda gpu: measure(program, gpu), args.gpus)))
    if args.before:
        before.update(figures)
        BEFORE.write_text(json.dumps(before, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    else:
        (check.ROOT / "doc/vendors.md").write_text(page(before, figures), encoding="utf-8")


if __name__ == "__main__":
    main()
