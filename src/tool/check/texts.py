#!/usr/bin/env python3
"""texts.py -o HEADER FILE...: rows {"NAME", "TEXT"} for C, of files by their names without ending and "check_"."""
import json
import pathlib
import sys

rows = []
for path in map(pathlib.Path, sys.argv[3:]):
    lines = path.read_text(encoding="ascii").splitlines(keepends=True)
    rows.append("    {%s,\n     %s},\n" % (json.dumps(path.stem.removeprefix("check_")), "\n     ".join(map(json.dumps, lines))))
pathlib.Path(sys.argv[2]).write_text("/* Made by texts.py. */\n" + "".join(rows), encoding="ascii")
