#!/usr/bin/env python3
"""A process that measures for `vkmatmul bench --worker`: instant, its speeds a formula, and at will faulty.

FAKE_BENCH_FOLDER has what real ones answered: device-N.json to hello of device N, row.json and peaks.json; its file FAKE_BENCH_LOG (default: log) takes a
line for each request.
FAKE_BENCH_FAULTS lists what to do at which request, counted over all processes from 1; at which of a kind; or at every one of a kind, on any device or
on one: "5:crash,round 3:lost,begin:refused,begin@1:hang".
"wait" is no fault: the answer comes when FAKE_BENCH_FOLDER has a file `go`. "late": the clock of tune_clock.c, the file `time`, goes on by 11 s. "uneven": a round whose samples differ, from each other and from
those of other rounds."""
import json
import os
import pathlib
import sys
import time

from fakes import end, say

FOLDER = pathlib.Path(os.environ["FAKE_BENCH_FOLDER"])
FAULTS = dict(fault.split(":") for fault in os.environ.get("FAKE_BENCH_FAULTS", "").split(",") if fault)
LOG = FOLDER / os.environ.get("FAKE_BENCH_LOG", "log")
DEVICE = sys.argv[sys.argv.index("--device") + 1] if "--device" in sys.argv else "host"


def load(name):
    return json.loads((FOLDER / name).read_text())


def milliseconds(problem):
    """A TFLOP/s on device 0, half of that on 1, and so on; a microsecond at least."""
    speed = 1e9 / (1 + (int(DEVICE) if DEVICE != "host" else 3))
    return max(2.0 * problem["m"] * problem["n"] * problem["k"] / speed, 1e-3)


def samples(ms, kernel_ms=None):
    return {"status": 0, "round": {"power": None, "time": {
        "kernel_ms": {"samples": [ms] * 20 if kernel_ms is None else kernel_ms}, "submit_ms": {"samples": [ms + 0.01] * 20}, "total_ms": None,
        "upload_ms": None, "download_ms": None, "round_ends": [], "clock": "device", "clock_note": None, "slope_ms": ms, "mapped": True}}}


def fault(kind, ms):
    """What goes wrong instead of an answer."""
    end(kind, 3)
    if kind == "torn":
        sys.stdout.write('{"status": 0, "row": {"de')
        sys.exit(0)
    wrong = load("row.json")
    wrong["verify"].update(passed=False, sentence="C[0][0] is 1, should be 2")
    answers = {"garbage": "o\u0308k \x1b[2J{]", "array": "[1]", "alien": {"status": 99}, "bare": {"status": 0}, "lost": {"status": 6, "sentence": "the device was lost"},
               "refused": {"status": 5, "sentence": "no memory on the device"}, "negative": samples(ms, [ms, -ms]),
               "words": samples(ms, ["fast"]), "none": samples(ms, []), "huge": "x" * (17 << 20), "types": {"status": 0, "row": 7, "round": "x", "device": []},
               "wrong": {"status": 1, "sentence": "wrong", "row": wrong, "product_ms": ms}, "differs": {"status": 1, "sentence": "it differs"},
               "liar": {"status": 0, "sentence": "", "row": wrong, "product_ms": ms}, "rowless": {"status": 0, "row": {}},
               "stranger": {"status": 0, "uuid": "0" * 8 + "-0000-0000-0000-" + "0" * 12}}
    say(answers[kind])


def wait():
    parent = os.getppid()
    while FOLDER.exists() and not (FOLDER / "go").exists():
        if os.getppid() != parent:
            sys.exit(0)  # the run was killed
        time.sleep(0.01)


def main():
    assert sys.argv[1] == "bench-worker", sys.argv
    jobs = {}
    for line in sys.stdin:
        request = json.loads(line)
        ask = request["ask"]
        with open(LOG, "a+") as log:
            log.seek(0)
            before = [json.loads(asked)["ask"] for asked in log]
            number, of_kind = len(before) + 1, before.count(ask) + 1
            log.write(json.dumps(dict(request, on=DEVICE)) + "\n")
        if ask == "begin":
            jobs[request["id"]] = request["problem"]
        ms = milliseconds(jobs[request["id"]]) if "id" in request else 1
        kind = next(filter(None, map(FAULTS.get, [str(number), "%s %d" % (ask, of_kind), ask, "%s@%s" % (ask, DEVICE)])), None)
        if ask == "end":
            del jobs[request["id"]]
        if kind == "wait":
            wait()
        if kind == "late":
            with open(FOLDER / "time", "r+") as clock:  # one write: a reader sees the time before or after it
                clock.write("%015d" % 11000)
        if kind == "uneven":
            say(samples(ms, [float("%.9g" % (ms * (1 + (7 * i + 3 * of_kind ** 2) % 11 / 20))) for i in range(4 + of_kind % 5)]))
        elif kind not in (None, "wait", "late"):
            fault(kind, ms)
        elif ask == "hello":
            say(dict(load("device-%s.json" % DEVICE), status=0))
        elif ask == "peaks":
            say({"status": 0, "peaks": load("peaks.json")})
        elif ask == "begin":
            say({"status": 0, "row": load("row.json"), "product_ms": ms})
        elif ask == "round":
            say(samples(ms))
        else:
            say({"status": 0})
    assert not jobs or FAULTS, jobs


main()
