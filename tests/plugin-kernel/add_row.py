#!/usr/bin/env python3
"""add_row.py TABLE ROW -o FILE: the library's table of kernels with one more row after the tutorials'."""
import pathlib
import sys

table, row, _, output = sys.argv[1:]
begin, rows, rest = pathlib.Path(table).read_text(encoding="utf-8").partition("tutorials[] = {\n")
own, end, rest = rest.partition("\n};\n")
assert rows and end, "this script needs to follow the table"
pathlib.Path(output).write_text(begin + rows + own + "\n    " + row + "," + end + rest, encoding="utf-8")
