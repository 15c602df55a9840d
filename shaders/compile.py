#!/usr/bin/env python3
"""Compiles one shader to a C header that holds its SPIR-V as an array.

    compile.py --glslang PROGRAM [--spirv-val PROGRAM] [--target-env ENV] --name ARRAY [-D MACRO=VALUE]... [-I DIR]... --depfile FILE -o HEADER SHADER

glslang writes the array itself (--vn); spirv-val, where it is installed, judges the same module.
"""
import argparse
import pathlib
import subprocess
import sys


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--glslang", required=True)
    p.add_argument("--spirv-val", default="")
    p.add_argument("--target-env", default="vulkan1.1")
    p.add_argument("--name", required=True)
    p.add_argument("-D", action="append", default=[], dest="macros")
    p.add_argument("-I", action="append", default=[], dest="folders")
    p.add_argument("--depfile")
    p.add_argument("-o", required=True, dest="header")
    p.add_argument("shader")
    a = p.parse_args()

    module = str(pathlib.Path(a.header).with_suffix(".spv"))
    glslang = [a.glslang, "-V", "--quiet", "--target-env", a.target_env, "-S", "comp"]
    glslang += ["-D" + m for m in a.macros] + ["-I" + f for f in a.folders]
    depfile = ["--depfile", a.depfile] if a.depfile else []
    steps = [glslang + ["-o", module, a.shader]]
    if a.spirv_val:
        steps.append([a.spirv_val, "--target-env", a.target_env, module])
    steps.append(glslang + depfile + ["--vn", a.name, "-o", a.header, a.shader])
    for step in steps:
        done = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.stderr.write(done.stdout)
            sys.exit(f"{a.shader}: {pathlib.Path(step[0]).name} failed")


main()
