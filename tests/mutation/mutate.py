#!/usr/bin/env python3
"""Breaks a shader in one place: the mutants that the test suite must notice.

    mutate.py --list SHADER               prints the mutants' names, one a line
    mutate.py --mutant NAME -o FILE SHADER  writes that mutant, with the shader's includes pasted in

A mutant lacks one barrier(), or one bounds check: a use of inside(…), which becomes true. The includes are read from lib/ beside
the shader, so that what kernels share is broken in each of them.
"""
import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)
BARRIER = re.compile(r"\bbarrier\(\);")
CHECK = re.compile(r"\binside\(")


def flatten(path):
    text = path.read_text().replace("#extension GL_GOOGLE_include_directive : require\n", "")
    return INCLUDE.sub(lambda m: flatten(path.parent / "lib" / m[1]) if (path.parent / "lib" / m[1]).exists()
                       else sys.exit(f"{path}: no include {m[1]}"), text)


def end_of_call(text, start):
    """The position behind the parenthesis that closes the one at text[start]."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    sys.exit("unbalanced parentheses")


def without_comments(text):
    return re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), text)


def places(text):
    """(name, start, end, replacement) of everything that can be broken."""
    code = without_comments(text)
    found = [(f"no-barrier-{i}", m.start(), m.end(), ";") for i, m in enumerate(BARRIER.finditer(code), 1)]
    uses = [m for m in CHECK.finditer(code) if not code[: m.start()].endswith("bool ")]
    found += [(f"no-check-{i}", m.start(), end_of_call(code, m.end() - 1), "true") for i, m in enumerate(uses, 1)]
    return found


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--list", action="store_true")
    p.add_argument("--mutant")
    p.add_argument("-o", dest="output")
    p.add_argument("shader")
    a = p.parse_args()
    text = flatten(pathlib.Path(a.shader))
    if a.list:
        print("\n".join(name for name, *_ in places(text)))
        return
    for name, start, end, replacement in places(text):
        if name == a.mutant:
            pathlib.Path(a.output).write_text(text[:start] + replacement + text[end:])
            return
    sys.exit(f"{a.shader}: no mutant {a.mutant}")


main()
