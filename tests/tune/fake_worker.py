#!/usr/bin/env python3
"""A worker for `vkmatmul tune --worker`, whose speeds are a formula: fast, and at will faulty.

FAKE_WORKER_FOLDER has the file `uuid` to answer with, and takes a line of `log` for each request; FAKE_WORKER_FAULTS lists what to do at which
request, counted over all processes from 1: "3:hang,5:crash,6:garbage,7:wrong,9:exit,10:lost,12:nan,2:boast". "duel:crash" is about every duel."""
import os
import pathlib
import signal
import sys
import time

FOLDER = pathlib.Path(os.environ["FAKE_WORKER_FOLDER"])
FAULTS = dict(fault.split(":") for fault in os.environ.get("FAKE_WORKER_FAULTS", "").split(",") if fault)


def milliseconds(kernel, config):
    """Fastest at rows=64, thread-cols=8."""
    values = dict(word.split("=") for word in config.split(",") if "=" in word)
    ms = 4.0 if kernel == "blocked" else 6.0
    ms += abs(int(values.get("rows", 0)) - 64) / 64 + abs(int(values.get("thread-cols", 0)) - 8) / 16 + int(values.get("splits", 1)) / 8
    return ms


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def fault(kind):
    """What goes wrong instead of an answer."""
    if kind == "hang":
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
            signal.signal(number, signal.SIG_IGN)
        time.sleep(600)
    if kind == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if kind == "exit":
        sys.exit(0)
    answers = {"garbage": "o\u0308k \x1b[2J 1", "wrong": "wrong C[0][0] is 1, should be 2", "lost": "failed 6 the device was lost",
               "refused": "failed 4 this device cannot", "nan": "ok nan 3", "zero": "ok 0 3", "boast": "ok 0.001 3"}
    say(answers[kind])


def main():
    problem = sys.stdin.readline().split()
    assert problem[0] == "problem" and len(problem) == 26, problem
    assert sys.argv[1:4:2] == ["tune-worker", "--no-cache"] or "--no-cache" in sys.argv, sys.argv
    say("ready " + (FOLDER / "uuid").read_text().strip())
    for line in sys.stdin:
        words = line.split()
        with open(FOLDER / "log", "a+") as log:
            log.seek(0)
            number = 1 + sum(1 for _ in log)
            log.write(line)
        kind = FAULTS.get(str(number)) or FAULTS.get(words[0])
        if kind:
            fault(kind)
        elif words[0] == "try":
            time.sleep(float(os.environ.get("FAKE_WORKER_DELAY", "0.005")))
            say("ok %.6f 5" % milliseconds(words[2], words[3]))
        else:
            first, second = milliseconds(words[2], words[3]), milliseconds(words[4], words[5])
            say("ok %.6f %.6f %.6f %.6f 9" % (first, second, second / first, 1.001 * second / first))


main()
