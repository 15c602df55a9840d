#!/usr/bin/env python3
"""Plays `vkmatmul doctor-worker`, as FAKE_DOCTOR says: what it does when it is asked to list and to examine."""
import os
import signal
import sys

how = os.environ.get("FAKE_DOCTOR", "")
asked = sys.stdin.readline().strip()
if asked == "list":
    if how == "no-start" or (how == "layer" and "--no-layers" not in sys.argv):
        os.kill(os.getpid(), signal.SIGSEGV)
    print("devices 1\ndone")
    sys.exit(0)
print("begin start", flush=True)
if how == "crash":
    print("begin range", flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)
if how == "wrong":
    print("wrong\tproducts\t7 is not 8\tDo not trust it.", flush=True)
if how == "rubbish":
    print("ok\tno more\nbegin " + "x" * 3000 + "\nbad\ta\tb\tc\nnote\t" + "\x1b[31mname" * 9 + "\t\x1b[31mhostile\ttext")
print("ok\tproducts\tall right\t")
print("done")
