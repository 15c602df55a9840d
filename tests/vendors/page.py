#!/usr/bin/env python3
"""page.py BUILD GPU…: writes doc/vendors.md (`scripts/vendors page`) from `vkmatmul statistics` of these GPUs."""
import argparse
import concurrent.futures
import math
import os
import pathlib
import re

import check

TYPES = ("f32", "f64", "f16", "i8")
# Of these, cycles are listed too: they report them, and are the GPUs of most desktops.
CYCLES = ("intel-dg2@backports", "intel-bmg@backports", "amd-navi31", "amd-vega10")
SIZES = ("4096", "1024", "256", "4096x8x4096")
HEAD = """# What the drivers of other GPUs make of vkmatmul's kernels

Written by `scripts/vendors page`; do not edit. The drivers are Mesa's, without their GPUs: what they compile is what they
would run, but nothing was run. Names that end in `@backports`, nvk, adreno and apple: Mesa of Debian 13's backports; all
others: Mesa of Debian 13. `scripts/vendors list` says which GPU a name means.

"""
SPILLS_HEAD = """
## Kernels

The kernels and passes that the planner chooses for eleven sizes with nothing transposed. In brackets: the registers that one
spills at most, "?" if the driver does not report them, and how many pipelines fail: do not compile, or not within 120 s.
Products then take another kernel.

| GPU | """ + " | ".join(TYPES) + " |\n|---" + "|---" * len(TYPES) + """|
"""
CYCLES_HEAD = """
## Static cycles per element of C

As estimated by the driver's compiler, divided by the elements along K per step, because a compiler does not know how many
steps a loop takes. Tiles that are larger than C count whole. Figures compare only on one GPU.

| GPU | type | size | kernel | cycles |
|---|---|---|---|---|
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


def summary(figures):
    """How many pipelines of all GPUs spill, or fail."""
    entries = [entry for of in figures.values() for entry in of["spills"].values()]
    return "Of %d pairs of GPU and driver: %d pipelines, of which %d spill and %d fail.\n" % (
        len(figures), *(sum(entry[index] for entry in entries) for index in (1, 3, 2)))


def show(kernel, most, failed):
    notes = ["?" if most is None else f"{most} spilled"] * (most != 0) + [f"{failed} fail"] * (failed > 0)
    return kernel + f" ({', '.join(notes)})" * bool(notes)


def spills(gpu, entries):
    cells = [", ".join(show(name.split()[0], most, failed) for name, (most, _, failed, _) in sorted(entries.items())
                       if name.endswith(" " + kind)) for kind in TYPES]
    return f"| {gpu} | {' | '.join(cell or '–' for cell in cells)} |\n"


def page(figures):
    text = HEAD + summary(figures) + SPILLS_HEAD + "".join(spills(gpu, of["spills"]) for gpu, of in figures.items()) + CYCLES_HEAD
    for gpu in (gpu for gpu in CYCLES if gpu in figures):
        for name, (kernel, value) in figures[gpu]["cycles"].items():
            text += f"| {gpu} | {' | '.join(name.split())} | {kernel} | {value:.1f} |\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("gpus", nargs="+")
    args = parser.parse_args()
    program = args.build.resolve() / "src/tool/vkmatmul"
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        figures = dict(zip(args.gpus, pool.map(lambda gpu: measure(program, gpu), args.gpus)))
    (check.ROOT / "doc/vendors.md").write_text(page(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
