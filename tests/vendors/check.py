#!/usr/bin/env python3
"""check.py BUILD [--write-fixtures] GPU…: what scripts/vendors runs for each GPU.

The fixtures in tests/plan/vendors.inc must be what the drivers say today; --write-fixtures writes them instead.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests/plan/vendors.inc"
HEAD = """/* Devices as their drivers describe them: written by 'scripts/vendors fixtures', not by hand. Includers define VENDOR. */
"""
# A new release of Mesa alone does not make a fixture stale.
RELEASE = re.compile(r'\.(driver_info = "[^"]*"|api_version = \d+u)')


def run(gpu, *command):
    return subprocess.run([ROOT / "scripts/vendors", "run", gpu, *command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=1800, check=False)


def fixture(build, gpu):
    done = run(gpu, build / "tests/vendors/print_device", gpu)
    return done.stdout if done.returncode == 0 else f"print_device failed with {done.returncode}: {done.stderr.strip()}\n"


def check_fixture(build, gpu):
    """What is wrong with the fixture of a GPU: a list of sentences."""
    now = RELEASE.sub("", fixture(build, gpu))
    kept = [RELEASE.sub("", line) for line in FIXTURES.read_text(encoding="utf-8").splitlines(True)
            if line.startswith(f'VENDOR("{gpu}",')]
    return [] if kept == [now] else [f"the fixture is not what the driver says; run scripts/vendors fixtures: {now}"]


CHECKS = {"fixture": check_fixture}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--write-fixtures", action="store_true")
    parser.add_argument("gpus", nargs="+")
    args = parser.parse_args()
    build = args.build.resolve()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if args.write_fixtures:
            FIXTURES.write_text(HEAD + "".join(pool.map(lambda gpu: fixture(build, gpu), args.gpus)), encoding="utf-8")
            return 0
        passed = failed = 0
        for gpu, results in pool.map(lambda gpu: (gpu, {name: check(build, gpu) for name, check in CHECKS.items()}),
                                     args.gpus):
            for name, wrong in results.items():
                print(f"{gpu}: {name}: {'FAILED' if wrong else 'ok'}", *wrong, sep="\n  ", flush=True)
                passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
