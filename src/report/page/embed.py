#!/usr/bin/env python3
"""Makes the page of a trace from its sources: style and scripts inlined, cut in two where the data goes, as byte arrays for C.

    embed.py -o HEADER trace.html trace.css SCRIPT.js...

The page's content security policy names its one style and its one script by their hashes: nothing else runs, nothing is loaded.
"""
import base64
import hashlib
import pathlib
import sys


def sha256(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def array(name, text):
    data = text.encode()
    lines = [", ".join(map(str, data[i:i + 32])) for i in range(0, len(data), 32)]
    return f"static const unsigned char {name}[{len(data)}] = {{\n    " + ",\n    ".join(lines) + "};\n"


def put(page, mark, text):
    if page.count(mark) != 1:
        sys.exit(f"embed.py: {mark} occurs {page.count(mark)} times, not once")
    return page.replace(mark, text)


def main():
    if len(sys.argv) < 6 or sys.argv[1] != "-o":
        sys.exit(__doc__)
    html, style, *scripts = (pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[3:])
    style, script = "\n" + style, "\n" + "\n".join(scripts)
    if "</" in style or "</script" in script or "<!--" in script:
        sys.exit("embed.py: a style or script that ends its own element")
    head, tail = html.split("@DATA@")
    head = put(put(put(head, "@STYLE@", style), "@STYLE_HASH@", sha256(style)), "@SCRIPT_HASH@", sha256(script))
    tail = put(tail, "@SCRIPT@", script)
    pathlib.Path(sys.argv[2]).write_text("/* Made by embed.py. */\n" + array("vkmm_page_head", head) + array("vkmm_page_tail", tail),
                                         encoding="ascii")


main()
