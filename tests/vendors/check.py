#!/usr/bin/env python3
"""check.py BUILD [--part N | --write-fixtures] GPU…: what `scripts/vendors check` does.

The fixtures in tests/lib/plan/vendors.inc must be what the drivers say today; --write-fixtures writes them instead. What
products need (`vkmatmul statistics --all`) must compile on each GPU, soon, without spills and without scratch memory,
but for the rows of exceptions.txt, each of which must be needed. --part N: all fixtures, but one of PARTS parts of the
compilations. VKMM_VENDORS_STORE names the file that keeps what drivers made of each pipeline (worker.py), so that later
runs compile only what is new.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests/lib/plan/vendors.inc"
STORE = os.environ.get("VKMM_VENDORS_STORE", ROOT / "build-vendors/answers.sqlite")
HEAD = """/* Devices as their drivers describe them: written by 'scripts/vendors fixtures', not by hand. Includers define VENDOR. */
"""
# A new release of Mesa alone does not make a fixture stale.
RELEASE = re.compile(r'\.(driver_info = "[^"]*"|api_version = \d+u)')
# Options of `statistics` by name. Of the types that blocks are multiplied with, bf16 needs the most registers.
KINDS = {kind: ("--type", kind) for kind in ("f32", "f64", "i32", "u32", "f16", "bf16", "i8", "u8")} | {
    name: ("--type", "bf16", "--type-b", name)
    for name in ("q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q4_K", "q5_K", "q6_K", "mxfp4", "nvfp4", "mxfp8_e4m3",
                 "mxfp8_e5m2", "fp8_e4m3", "fp8_e5m2", "q4_z", "q8_z")}
PARTS = 240
UNSUPPORTED = 4
# What takes 5 s of a processor takes 15 on one of a third of its speed; what is wrong takes minutes.
LIMITS = {"compile_cpu_ms": 15000, "spills": 0, "scratch_bytes": 0}


def run(gpu, *command, **variables):
    return subprocess.run([ROOT / "scripts/vendors", "run", gpu, *command], stdin=subprocess.DEVNULL,
                          env={**os.environ, **variables}, capture_output=True, text=True, check=False)


def statistics(program, gpu, *arguments):
    """The rows of a GPU, none if it lacks the type. ValueError with the program's message if the program fails; the
    failure of a pipeline is in its row."""
    done = run(gpu, program, "statistics", "--json", "--worker", ROOT / "tests/vendors/worker.py", *arguments,
               VKMM_VENDORS_PROGRAM=program, VKMM_VENDORS_STORE=STORE, VKMM_VENDORS_GPU=gpu)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode == UNSUPPORTED and not rows:
        return []
    if done.returncode != 0 and not any(row["error"] for row in rows):
        raise ValueError(f"statistics failed with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return rows


def fixture(build, gpu):
    done = run(gpu, build / "tests/vendors/print_device", gpu)
    return done.stdout if done.returncode == 0 else f"print_device failed with {done.returncode}: {done.stderr}\n"


def check_fixture(build, gpu):
    """What is wrong, as sentences."""
    now = fixture(build, gpu)
    kept = [line for line in FIXTURES.read_text(encoding="utf-8").splitlines(True)
            if line.startswith(f'VENDOR("{gpu}",')]
    if [RELEASE.sub("", line) for line in kept] == [RELEASE.sub("", now)]:
        return []
    return [f"the driver says something else, run scripts/vendors fixtures: {now}"]


def read_exceptions():
    """Rows of GPU (a pattern), kernel, type, key, the most that is allowed, the reason."""
    lines = (ROOT / "tests/vendors/exceptions.txt").read_text(encoding="utf-8").splitlines()
    return [line.split(None, 5) for line in lines if line and not line.startswith("#")]


def describe(row):
    problem = row["problem"]
    return (f"{row['kernel']} {row['type']} {problem['m']}×{problem['n']}×{problem['k']} {problem['transpose_a']}"
            f"{problem['transpose_b']} {row['config']}")


def check_rows(gpu, kind, rows, exceptions):
    """What is wrong with the pipelines of one kind, as sentences."""
    allowed = {(kernel, key): int(most) for pattern, kernel, of, key, most, _ in exceptions
               if of == kind and fnmatch.fnmatch(gpu, pattern)}
    wrong, needed = [], set()
    for row in rows:
        if row["error"]:
            found = {"error": 1}
        else:
            found = {key: row[key] for key, most in LIMITS.items() if (row[key] or 0) > most}
            if gpu.startswith("intel-") and row["cycles"] is None:
                wrong.append(f"{describe(row)}: no cycles; do they have another name in this Mesa?")
        for key, value in found.items():
            if value > allowed.get((row["kernel"], key), 0):
                wrong.append(f"{describe(row)}: {row['error'] or f'{key} {value}'}")
            needed.add((row["kernel"], key))
    return wrong + [f"exceptions.txt: {kernel} {kind} {key} does not occur any more"
                    for kernel, key in allowed.keys() - needed]


def check_kind(build, gpu, kind, exceptions):
    try:
        rows = statistics(build / "src/tool/vkmatmul", gpu, "--all", *KINDS[kind])
    except ValueError as error:
        return 0, [str(error)]
    return len(rows), check_rows(gpu, kind, rows, exceptions)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--part", type=int)
    parser.add_argument("--write-fixtures", action="store_true")
    parser.add_argument("gpus", nargs="+")
    args = parser.parse_args()
    build, gpus, exceptions = args.build.resolve(), args.gpus, read_exceptions()
    units = [(gpu, kind) for kind in KINDS for gpu in gpus]
    if args.part is not None:
        units = units[args.part % PARTS::PARTS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if args.write_fixtures:
            FIXTURES.write_text(HEAD + "".join(pool.map(lambda gpu: fixture(build, gpu), gpus)), encoding="utf-8")
            return 0
        tests = [(f"{gpu}: fixture", pool.submit(lambda gpu=gpu: (1, check_fixture(build, gpu)))) for gpu in gpus]
        tests += [(f"{gpu}: {kind}", pool.submit(check_kind, build, gpu, kind, exceptions)) for gpu, kind in units]
        passed = failed = skipped = 0
        for name, test in tests:
            count, wrong = test.result()
            verdict = "FAILED" if wrong else "ok" if count else "nothing to compile"
            print(f"{name}: {verdict}" + (f", {count} pipelines" if count > 1 else ""), *wrong, sep="\n  ", flush=True)
            passed, failed, skipped = passed + (not wrong and count > 0), failed + bool(wrong), \
                skipped + (not wrong and count == 0)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
