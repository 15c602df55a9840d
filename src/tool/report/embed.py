#!/usr/bin/env python3
"""Makes a page from its sources: style and scripts inlined, cut in two where the data goes, as byte arrays for C.

    embed.py -o HEADER NAME PAGE.html STYLE.css... SCRIPT.js... SHADER...

The header has cli_NAME_template (report/json.h). Shaders become a JSON object, from file names to texts. The page's content security
policy names its one style and its one script by their hashes: nothing else runs, nothing is loaded.
"""
import base64
import hashlib
import json
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


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def main():
    if len(sys.argv) < 6 or sys.argv[1] != "-o":
        sys.exit(__doc__)
    name, html, *files = sys.argv[3:]
    style = "\n" + "\n".join(read(path) for path in files if path.endswith(".css"))
    script = "\n" + "\n".join(read(path) for path in files if path.endswith(".js"))
    if "</" in style or "</script" in script or "<!--" in script:
        sys.exit("embed.py: a style or script that ends its own element")
    shaders = {pathlib.Path(path).name: read(path) for path in files if path.endswith((".comp", ".glsl"))}
    page = read(html)
    if shaders:
        page = put(page, "@SHADERS@", json.dumps(shaders, ensure_ascii=False).replace("<", "\\u003c"))
    head, tail = page.split("@DATA@")
    head = put(put(put(head, "@STYLE@", style), "@STYLE_HASH@", sha256(style)), "@SCRIPT_HASH@", sha256(script))
    tail = put(tail, "@SCRIPT@", script)
    template = f"static const cli_template cli_{name}_template = {{head, tail, sizeof head, sizeof tail}};\n"
    pathlib.Path(sys.argv[2]).write_text('/* Made by embed.py. */\n#include "report/json.h"\n' + array("head", head) + array("tail", tail) + template,
                                         encoding="ascii")


if __name__ == "__main__":
    main()
