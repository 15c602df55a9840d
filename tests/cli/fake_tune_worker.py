#!/usr/bin/env python3
"""A worker for `vkmatmul tune --worker`, whose speeds are a formula: fast, and at will faulty.

FAKE_WORKER_FOLDER has the file `uuid` to answer with, and takes a line of `log` for each request; its file `time` is the clock of test_clock,
in milliseconds, which goes on with each request and each new process. FAKE_WORKER_FAULTS lists what to do at which request, counted over all
processes from 1: "3:hang,5:crash,6:garbage,7:wrong,9:exit,10:lost,12:nan,2:boast". "duel:crash" is about every duel."""
import json
import os
import pathlib
import sys

from fakes import end, say

FOLDER = pathlib.Path(os.environ["FAKE_WORKER_FOLDER"])
START_MS, REQUEST_MS = 50, 10  # what a new process and a request take
FAULTS = dict(fault.split(":") for fault in os.environ.get("FAKE_WORKER_FAULTS", "").split(",") if fault)


def milliseconds(kernel, config):
    """Fastest at rows=64, thread-cols=8."""
    values = dict(word.split("=") for word in config.split(",") if "=" in word)
    ms = 4.0 if kernel == "blocked" else 6.0
    ms += abs(int(values.get("rows", 0)) - 64) / 64 + abs(int(values.get("thread-cols", 0)) - 8) / 16 + int(values.get("splits", 1)) / 8
    return ms


def spend(ms):
    """One write of as many bytes as there were: a reader sees the time before or after it."""
    path = FOLDER / "time"
    now = int(path.read_text())
    with open(path, "r+") as file:
        file.write("%015d" % (now + ms))


def fault(kind):
    """What goes wrong instead of an answer."""
    end(kind)
    answers = {"garbage": "o\u0308k \x1b[2J 1", "wrong": {"status": 1, "sentence": "C[0][0] is 1, should be 2"},
               "lost": {"status": 6, "sentence": "the device was lost"}, "refused": {"status": 4, "sentence": "this device cannot"},
               "nan": {"status": 0, "ms": [None, 0], "rounds": 3}, "zero": {"status": 0, "ms": [0, 0], "rounds": 3},
               "boast": {"status": 0, "ms": [0.001, 0], "rounds": 3}}
    say(answers[kind])


def main():
    assert sys.argv[1] == "tune-worker" and "--no-cache" in sys.argv, sys.argv
    assert json.loads(sys.stdin.readline()) == {"ask": "hello"}
    spend(START_MS)
    say({"status": 0, "uuid": (FOLDER / "uuid").read_text().strip(), "name": "a device"})
    first = json.loads(sys.stdin.readline())
    assert first["ask"] == "problem" and first["problem"]["m"] > 0, first
    say({"status": 0})
    for line in sys.stdin:
        request = json.loads(line)
        with open(FOLDER / "log", "a+") as log:
            log.seek(0)
            number = 1 + sum(1 for _ in log)
            log.write(line)
        spend(REQUEST_MS)
        kind = FAULTS.get(str(number)) or FAULTS.get(request["ask"])
        times = [milliseconds(candidate["kernel"], candidate["config"]) for candidate in request["candidates"]]
        if kind:
            fault(kind)
        elif request["ask"] == "try":
            say({"status": 0, "ms": [times[0], 0], "rounds": 5})
        else:
            ratio = times[1] / times[0]
            say({"status": 0, "ms": times, "ratio": ratio, "upper": 1.001 * ratio, "rounds": 9})


main()
