#!/usr/bin/env python3
"""Plays `vkmatmul doctor-worker`, as FAKE_DOCTOR says: what it does when it is asked to list and to examine."""
import json
import os
import sys

from fakes import end, say

how = os.environ.get("FAKE_DOCTOR", "")
if "--driver" in sys.argv and "FAKE_DOCTOR_PROGRAM" in os.environ:  # which judges a driver
    os.execv(os.environ["FAKE_DOCTOR_PROGRAM"], ["vkmatmul", *sys.argv[1:]])


def find(check, verdict, sentence, advice=None):
    return {"check": check, "verdict": verdict, "sentence": sentence, "advice": advice}


for line in sys.stdin:
    asked = json.loads(line)["ask"]
    if asked == "list" and (how == "no-start" or (how == "layer" and "--no-layers" not in sys.argv)):
        end("crash")
    if asked == "range":
        end(how)
    if asked == "range" and how == "garbage":
        say("o\u0308k \x1b[2J{]")
    elif asked == "start" and how == "refused":
        say({"status": 4, "sentence": "it lacks everything"})
    elif asked == "start" and how == "stranger":
        say({"status": 0, "uuid": "0" * 8 + "-0000-0000-0000-" + "0" * 12})
    elif asked == "products" and how == "wrong":
        say({"status": 1, "sentence": "wrong", "findings": [find("products", "problem", "7 is not 8", "Do not trust it.")]})
    elif asked == "shared" and how == "rubbish":
        say({"status": 0, "findings": [7, {}, find("a", "bad", "b"), find("x" * 3000, "note", "\x1b[31mhostile", "\x1b[31mname" * 9),
                                       find("shared", "note", "\x1b[31mhostile\ttext")]})
    elif asked == "products":
        say({"status": 0, "findings": [find("products", "ok", "all right")]})
    else:
        say({"status": 0, "findings": "none" if how == "rubbish" else []})
