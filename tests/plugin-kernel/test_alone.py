#!/usr/bin/env python3
"""test_alone.py ROOT: a general kernel is one shader, one C file and one row of the manifest, another one is one shader and a row of the
manifest and of the table, and nothing else asks for its name.

The names of the kernels in this folder occur in no other file, except once in the manifest. The names of the library's general kernels are compared or
looked up only in the kernel's own file.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
manifest = root / "shaders/meson.build"
here = pathlib.Path(__file__).resolve().parent
ASKS = re.compile(r'(?:strn?cmp|vkmm_kernel_find|vkmm_module_\w+)\s*\([^;]*?"([\w-]+)"')


def general_kernels():
    """The names in the manifest's list."""
    text = re.search(r"^general_kernels = \[\n(.*?)^\]", manifest.read_text(encoding="utf-8"), flags=re.S | re.M)
    return set(re.findall(r"^  \['([\w-]+)'", text.group(1), flags=re.M)) if text else set()


def own_kernels():
    return {path.stem for path in here.glob("*.comp")}


def sources():
    for folder in ("shaders", "src", "tests", "doc", "scripts"):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in (".c", ".h", ".in", ".comp", ".glsl", ".py", ".build", ".inc", ".1", ""):
                yield path, path.read_text(encoding="utf-8", errors="replace")


def main():
    general, own = general_kernels(), own_kernels()
    wrong, rows = [], 0
    if len(general) < 5 or len(own) != 2:
        sys.exit(f"found {sorted(general)} in the manifest and {sorted(own)} here: this test needs to follow them")
    for path, text in sources():
        for number, line in enumerate(text.split("\n"), 1):
            if not any(re.search(rf"\b{name}\b", line) for name in own) or path.resolve().parent == here:
                continue
            rows += path == manifest
            if path != manifest or rows > len(own):
                wrong.append(f"{path}:{number}: names a kernel of {here.name}")
        if (root / "src/lib") not in path.parents:
            continue
        for match in ASKS.finditer(text):
            if match.group(1) in general and path.stem != match.group(1):
                wrong.append(f"{path}:{text.count(chr(10), 0, match.end()) + 1}: asks for the kernel {match.group(1)} by name")
    if rows != len(own):
        wrong.append(f"{manifest}: {rows} rows instead of {len(own)}")
    print("\n".join(wrong) or f"{len(general)} general kernels and {', '.join(own)} stand alone")
    return 1 if wrong else 0


sys.exit(main())
