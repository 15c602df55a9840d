#!/usr/bin/env python3
"""Compiles one shader to a C header that holds its SPIR-V as an array.

    compile.py --glslang PROGRAM [--spirv-val PROGRAM] [--target-env ENV] --name ARRAY [-D [MACRO[=VALUE]...]]
               [-I DIR]... [--depfile FILE] -o HEADER SHADER

spirv-val, where it is installed, judges the module. VKMM_SHADER_CACHE names a folder that keeps headers for other
builds of the same sources by the same compiler.
"""
import argparse
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess
import sys


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--glslang", required=True)
    p.add_argument("--spirv-val", default="")
    p.add_argument("--target-env", default="vulkan1.1")
    p.add_argument("--name", required=True)
    p.add_argument("-D", nargs="*", action="extend", default=[], dest="macros")
    p.add_argument("-I", action="append", default=[], dest="folders")
    p.add_argument("--depfile")
    p.add_argument("-o", required=True, dest="header")
    p.add_argument("shader")
    return p.parse_args()


def write(path, text):
    """In one step: another build may write the same file of a cache."""
    partial = f"{path}.{os.getpid()}"
    pathlib.Path(partial).write_text(text)
    os.replace(partial, path)


def key_of(a):
    """A name for all that the header depends on."""
    parts = [a.name, a.target_env, *a.macros]
    for program in [a.glslang, a.spirv_val]:
        found = shutil.which(program) if program else None
        parts += [program, str(os.stat(found).st_mtime_ns) if found else ""]
    for path in [a.shader, *(str(path) for folder in a.folders for path in sorted(pathlib.Path(folder).rglob("*.glsl")))]:
        parts += [path, pathlib.Path(path).read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def run(a, command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        sys.exit(f"{a.shader}: {pathlib.Path(command[0]).name} failed")


def compile_shader(a):
    """The header's text, and the files that it was made from."""
    module = str(pathlib.Path(a.header).with_suffix(".spv"))
    glslang = [a.glslang, "-V", "--quiet", "--target-env", a.target_env, "-S", "comp", "--depfile", module + ".d"]
    glslang += ["-D" + m for m in a.macros] + ["-I" + f for f in a.folders]
    run(a, glslang + ["-o", module, a.shader])
    if a.spirv_val:
        run(a, [a.spirv_val, "--target-env", a.target_env, module])
    words = [f"0x{word:08x}" for word, in struct.iter_unpack("=I", pathlib.Path(module).read_bytes())]
    lines = [",".join(words[i:i + 8]) for i in range(0, len(words), 8)]
    header = "#pragma once\nconst uint32_t %s[] = {\n%s\n};\n" % (a.name, ",\n".join(lines))
    return header, pathlib.Path(module + ".d").read_text().split(":", 1)[1]


def main():
    a = arguments()
    cache = os.environ.get("VKMM_SHADER_CACHE")
    kept = pathlib.Path(cache, key_of(a)) if cache else None
    if kept and kept.exists():
        header, sources = kept.read_text().split("\0")
    else:
        header, sources = compile_shader(a)
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            write(kept, header + "\0" + sources)
    write(a.header, header)
    if a.depfile:
        write(a.depfile, a.header + ":" + sources)


main()
