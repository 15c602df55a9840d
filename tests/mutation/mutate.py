#!/usr/bin/env python3
"""Breaks a shader in one place: the mutants that the test suite must notice.

    mutate.py SHADER --list                    prints the mutants' names, one a line
    mutate.py SHADER --mutants NAME… -o FILE…  writes these mutants, with the shader's includes pasted in
    mutate.py --narrow …                  the same for builds for narrow types, which lack other things
    mutate.py --float8 …                  those for floats of 8 bits,
    mutate.py --blocks …                  for matrices in blocks; each begins with the format that reveals it,
    mutate.py --parts …                   and for shaders that split f32 into parts,
    mutate.py --modular …                 or make f64 of residues, in bytes
    mutate.py --words …                   or in words

A mutant lacks one barrier(), or one bounds check: a use of inside(…), which becomes true. The includes are read from lib/ beside
the shader, so that what kernels share is broken in each of them.

Drivers that run on processors take up the invocations of a workgroup one after another, in an order that may hide a missing barrier.
Mutants of shaders over one-dimensional workgroups therefore come in three orders: as they are, NAME-reversed, with the invocations
numbered backwards, and NAME-rotated, beginning in the middle.
"""
import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)
BARRIER = re.compile(r"\bbarrier\(\);")
NUMBER = re.compile(r"\bgl_LocalInvocationIndex\b|\bgl_LocalInvocationID\.x\b")
NOT_BUILT = re.compile(r"^#if defined\((?:NARROW|NARROW_C)\)$.*?^#endif$|^#if defined\((?:COUNT|BLOCKS)\)$.*?^#else$", re.MULTILINE | re.DOTALL)
CHECK = re.compile(r"\binside\(")


def flatten(path):
    text = path.read_text().replace("#extension GL_GOOGLE_include_directive : require\n", "")
    lib = path.parent if path.parent.name == "lib" else path.parent / "lib"
    return INCLUDE.sub(lambda m: flatten(lib / m[1]) if (lib / m[1]).exists() else sys.exit(f"{path}: no include {m[1]}"), text)


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


# Each row names the shaders in which it must find something to break, wherever it occurs there: a mutant never vanishes.
NAMED = {
    # Builds for narrow types: reading, rounding, packing and finishing.
    "narrow": [
        ("blocked", "no-parity", r">> 16 \* \(\(i\) % 2\)", ""),  # every element of A is its word's first
        ("blocked", "no-second-half", r"narrow_bits\(v\.y\) << 16", "0"),
        ("blocked", "no-bias", r"if \(BIAS != 0\)", "if (false)"),
        ("blocked", "no-relu", r"return x < S\(0\) \? S\(0\) : x;", "return x;"),
        ("reduce", "no-next-row", r"i \+ 1 < M && dense", "false"),
    ],
    # Floats of 8 bits, as f32.
    "float8": [
        ("blocked", "no-sign", r"\(codes & 0x80\) << 24", "uvec4(0)"),
        ("blocked", "no-subnormal", r"mix\(small, ", "mix(shifted + moved, "),
        ("blocked", "no-least-normal", r"greaterThanEqual\(shifted, ", "greaterThan(shifted, "),
        ("blocked", "no-special", r"e4m3 \? 0x7f : 0x7c", "0xff"),
        ("blocked", "no-finite-top", r"e4m3 \? 0x7f :", "e4m3 ? 0x78 :"),
        ("blocked", "no-infinity", r"shifted \+ 2 \* moved", "shifted + moved"),
        ("blocked", "one-bias", r"127 - 15", "127 - 7"),
        ("blocked", "one-fraction", r"<< 23 - FRACTION", "<< 20"),
        ("blocked", "no-last-of-word", r"word >> 24\)", "word >> 16)"),
        ("blocked", "first-of-word", r">> 8 \* \(\(i\) % 4\)", ""),
    ],
    # Matrices in blocks: what reads them (lib/blocks.glsl), the step that unpacks them, and the kernel that does not need it.
    "blocks": [
        ("unpack", "q4_0-other-nibble", r"quarter / 2 \* 4\)", "4 - quarter / 2 * 4)"),
        ("unpack", "q4_0-no-bias", r"FORMAT == Q4_0 \? 8\.0", "FORMAT == Q4_0 ? 0.0"),
        ("unpack", "mxfp4-no-last-word", r"min\(place\.shift, 1\)", "0"),
        ("unpack", "q4_0-head", r"FROM_SCALE \? 0 : HEAD", "HEAD"),
        ("unpack", "q4_0-no-shift", r"from % 4 \* 8, block", "0, block"),
        ("unpack", "q4_0-no-offset", r"\(OFFSET \+", "("),
        ("unpack", "q8_0-no-sign", r"part\.words \^= 0x80808080;", ""),
        ("unpack", "q8_0-next-part", r"block \* BLOCK \+ part_at\(part\)", "block * BLOCK + part_at((part + 1) % PARTS)"),
        ("unpack", "q8_0-no-tie-of-bf16", r"bits \+ 0x7fff \+ \(bits >> 16 & 1\)", "bits + 0x8000"),
        ("unpack", "q4_K-no-min", r"- read\.scale\[q / 2 \* 2 \+ 1\]", ""),
        ("unpack", "q4_K-one-min", r"read\.scale\[q / 2 \* 2 \+ 1\]", "read.scale[1]"),
        ("unpack", "q4_K-one-scale", r"pairs >> 8", "pairs & 255"),
        ("unpack", "q4_K-first-scales", r"shift < 32 \? first : pieces \| bytes\.xy >> 2 & 0x3030", "first"),
        ("unpack", "q4_K-four-bits", r" \| bytes\.xy >> 2 & 0x3030", ""),
        ("unpack", "mxfp4-no-sign", r" \| top & 0x80000000", ""),
        ("unpack", "mxfp4-double", r"x << 23\)", "x + 1 << 23)"),
        ("unpack", "mxfp4-no-subnormal", r"min\(g, fma\(2, g, -0\.25\)\)", "g"),
        ("unpack", "mxfp4-first-byte", r"8 \* part : block % 4 \* 8", "8 * part : 0"),
        ("unpack", "mxfp4-no-batch", r"gl_WorkGroupID\.y \* STRIDE", "0"),
        ("unpack", "nvfp4-no-scale", r"scale_of\(read\.scale\.x >> before\)", "1"),
        ("unpack", "nvfp4-first-scale", r"8 \* part :", "0 :"),
        ("unpack", "nvfp4-no-sign-of-scale", r"x > 127 \? -value : value", "value"),
        ("unpack", "nvfp4-no-subnormal-scale", r"size < 8 \? least : ", ""),
        ("unpack", "nvfp4-no-nan", r"size == 127 \?", "false ?"),
        ("unpack", "mxfp8_e4m3-no-subnormal", r"min\(g, fma\(2, g, IS_E5M2 \? -0\.00006103515625 : -0\.015625\)\)", "g"),
        ("unpack", "mxfp8_e5m2-no-infinity", r"IS_E5M2 \? 0x0f800000", "IS_E5M2 ? 0x10000000"),
        ("unpack", "fp8_e4m3-no-nan", r"special \? moved", "false ? moved"),
        ("unpack", "q4_z-first-zero", r"read\.scale\.y >> scale_shift", "read.scale.y"),
        ("unpack", "q8_z-first-scale", r"HAS_ZERO \? part / 2", "HAS_ZERO ? 0"),
        ("unpack", "q4_1-no-offset", r"vec4\(1, -1, 1, -1\)", "vec4(1, 0, 1, 0)"),
        ("unpack", "q5_0-no-half-of-bits", r"FORMAT == Q5_0 && shift > 0", "false"),
        ("unpack", "q5_0-other-half-of-scale", r"16 \^ shift", "shift"),
        ("unpack", "q5_K-first-bits", r" >> part / 4 \* 2 & 0x01010101", " & 0x01010101"),
        ("unpack", "q6_K-first-bits", r" >> part % 8 / 4 \* 2 & 0x03030303", " & 0x03030303"),
        ("unpack", "q6_K-no-last-bits", r"CODES\(high \+ 2\)", "0"),
        ("unpack", "q6_K-no-sign-of-scale", r"bitfieldExtract\(ivec2", "bitfieldExtract(uvec2"),
        ("unpack", "q6_K-aligned-scale", r"part % 8 / 2 \+ shift / 8", "part % 8 / 2"),
        ("skinny", "q4_K-no-min", r"-scale\.y", "0"),
        ("skinny", "q4_K-no-second-min", r"-scale\.w", "0"),
        ("skinny", "q4_K-one-scale", r"scale\.z, high", "scale.x, high"),
        ("skinny", "q4_0-beyond-the-end", r"k0 < end : is_there\(k0, end\)", "k0 < end : k0 < end"),
        ("skinny", "q4_0-first-part-twice", r"CODES\(next\), CODES\(next \+ 1\)", "CODES(at), CODES(at + 1)"),
        ("skinny", "mxfp4-no-last-word-of-two", r"CODES\(last_word\(next, place\)\)", "second.codes.y"),
        ("skinny", "mxfp4-quarter", r"float\(TIMES\) \* ", ""),
        ("skinny", "nvfp4-first-scale-twice", r"scale_shift \+ \(BY_PART \? 8 : 0\)", "scale_shift"),
        ("skinny", "q8_0-no-scale", r"scale\.x, float\(TIMES\)", "1, float(TIMES)"),
        ("skinny", "q8_0-next-part", r"part_at\(part % PARTS\)", "part_at((part + 1) % PARTS)"),
        ("skinny", "q4_0-one-half", r"low \+ high\)", "low)"),
        ("skinny", "q4_0-one-part", r"which == 0 \|\| !JOINED", "true"),
        ("skinny", "q4_K-one-part", r"begins \? 0\.0 : ones\[h\]", "0.0"),
        ("skinny", "q4_0-one-block", r"\(first \+ part / PARTS\)", "(first)"),
        ("skinny", "q4_0-same-step", r"further \+= STEP_WORDS;", ""),
        ("skinny", "q4_0-other-line", r"min\(x0 \+ across\(r\), ", "min(x0, "),
        ("skinny", "q4_0-from-0", r"long_at\(base, x, begin\)", "long_at(base, x, 0)"),
        ("skinny", "q4_0-first-of-word", r"values_of\(word\)\[i % 2\]", "values_of(word)[0]"),
    ],
    # Shaders that split f32: the code behind the promise of doc/precision.md.
    "parts": [
        ("scale", "no-most", r"most = max\(most,", "most = min(most,"),
        ("scale split", "no-batch", r"gl_WorkGroupID\.z \* STRIDE", "0"),
        ("split", "no-lo", r"/ LO_UNIT", "* 0"),
        ("split", "no-scale", r"uintBitsToFloat\(2 \* 127 \+ TOP - largest << 23\)", "1.0"),
        ("split", "other-line", r"rows \+ min\(line, extent - 1\)", "rows"),
        ("split", "no-decision", r"decide\(false\)", ""),
    ],
    # Modular products: exact integers, rounded once.
    "modular": [
        ("lines", "half-of-k", r"r < readers; r\+\+", "r < readers / 2; r++"),
        ("lines", "no-batch", r"gl_WorkGroupID\.z \* STRIDE", "0"),
        ("lines", "low-scale", r"\+ EXPONENT_OF_ONE", "- 1 + EXPONENT_OF_ONE"),
        ("lines", "high-scale", r"- int\(rest > LIMIT\)", "+ 1"),
        ("residues", "cut", r"uaddCarry\(x\.x, once\.x & 1, carry\)", "uaddCarry(x.x, 0, carry)"),  # not rounded
        ("residues", "no-sign", r"top\(bits\) >> 31 != 0\)", "false)"),
        ("residues", "no-end", r"line < COUNT && k < DEPTH", "line < COUNT"),
        ("residues", "no-ninth-byte", r"MODULI > MOST_OF_64_BITS", "false"),
        ("residues", "no-carry-to-y", r"uaddCarry\(sum\.y, carry\.x", "uaddCarry(sum.y, 0"),
        ("residues", "no-carry-to-z", r"0x80 \+ carry\.y \+ carry\.z", "0x80"),
        ("finish", "no-last-modulus", r"n == MODULI\)", "n + 1 == MODULI)"),
        ("finish", "no-multiple", r"count \+ \(1 << 23\) >> 24", "count >> 24"),
        ("finish", "no-last-row", r"place < M \* SUMS_LD", "place < (M - 1) * SUMS_LD"),
        ("finish", "no-end-of-row", r"min\(4, N - 4 \* column\)", "4"),
        ("finish", "tie", r"rest > 0x800 \|\| \(rest == 0x800 && odd != 0\)", "rest >= 0x800"),
        ("finish", "tie-down", r"rest == 0x800 && odd != 0", "false"),
        ("finish", "no-shift-by-a-word", r"\(by & 32\) != 0", "false"),
        ("finish", "no-carry-of-128", r"sum\.w \+= carry\.z;", ""),
        ("finish", "no-carry", r"kept\.y \+ carry", "kept.y"),
        ("finish", "rounded-twice", r"fused\(beta, C\[at\], x\)", "fused(ONE, fused(beta, C[at], ZERO), x)"),
    ],
    # Modular products, code of builds with WORDS only.
    "words": [
        ("lines", "no-last-limb-of-a", r"a\[2\] \| a\[3\] << 16, b", "a[2], b"),
        ("lines", "no-last-limb-of-b", r"b\[2\] \| b\[3\] << 16\)", "b[2])"),
        ("residues", "no-sign", r"mix\(r, row\.x - r, negative\)", "r"),
        ("residues", "from-0", r"mix\(r, r - row\.x, greaterThan\(r, uvec4\(row\.x / 2\)\)\)", "r"),
        ("residues", "no-end-of-lines", r" \|\| own >= COUNT", ""),
        ("residues", "no-end-of-k", r"k >= DEPTH \|\| ", ""),
        ("residues", "one-line", r"min\(own \+ 3, last\)", "min(own, last)"),
        ("residues", "no-third-word", r"words\.y >> 22 \| words\.z << 10", "words.y >> 22"),
        ("residues", "no-high-word", r"shift_right\(x, uint\(64 - by\)\)\.x", "0"),
        ("residues", "few-bits", r"min\(by, 95\) - 32", "min(by, 95) - 31"),  # of a subnormal element
        ("residues", "remainder", r"uvec4 r = x - high \* row\.x;\s+return min\(r, r - row\.x\);", "uvec4 r = x - high * row.x; return r;"),
        ("finish", "no-carry", r"even \+= carry;", ""),
        ("finish", "no-carry-of-even", r"odd \+= even >> 16;", ""),
        ("finish", "unsigned-carry", r"carry = odd >> 16;", "carry = int(uint(odd) >> 16);"),
        ("finish", "complement", r"x\.x\+\+;", ""),
        ("finish", "no-carry-to-y", r"x\.y \+= uint\(x\.x == 0\);", ""),
        ("finish", "no-carry-to-z", r"x\.z \+= uint\(\(x\.x \| x\.y\) == 0\);", ""),
        ("finish", "no-carry-to-w", r"x\.w \+= uint\(\(x\.x \| x\.y \| x\.z\) == 0\);", ""),
        ("finish", "no-carry-to-top", r"~top \+ uint\(x == uvec4\(0\)\)", "~top"),
        ("finish", "no-top", r"exponent \+= 32;", ""),
        ("finish", "no-lost-word", r"x\.y \| uint\(x\.x != 0\), x\.zw", "x.y, x.zw"),
        ("finish", "no-multiple", r"-ivec4\(count \+ \(1 << 23\) >> 24\)", "-ivec4(count >> 24)"),
        ("finish", "no-last-words", r"table\[n \* ROW \+ 3\]\.x", "0"),
        ("finish", "no-last-word", r"table\[MOST_MODULI \* ROW \+ 1\]\.x", "0"),
        ("finish", "no-end-of-row", r"min\(4, N - 4 \* column\)", "4"),
        ("finish", "no-alpha-alone", r"steps\[0\] \|\| steps\[1\]", "steps[1]"),
        ("finish", "no-beta-alone", r"\|\| steps\[1\] \|\|", "||"),
        ("finish", "no-bias-alone", r" \|\| steps\[2\]", ""),
        ("finish", "bias-of-columns", r"BIAS == 1 \? 4 \* column \+ e : FROM_A - LINES_AT \+ i", "4 * column + e"),
        ("finish", "bias-of-rows", r"BIAS == 1 \? 4 \* column \+ e : FROM_A - LINES_AT \+ i", "i"),
        ("finish", "no-nan", r"finite \? from_limbs", "true ? from_limbs"),
        ("finish", "no-relu", r"ACTIVATION != 0 &&", "false &&"),
    ],
}


def named_places(path, code, named):
    rows = [row for row in NAMED[named] if path.stem.removeprefix("modular_") in row[0].split()]
    for _, name, pattern, replacement in rows:
        matches = list(re.finditer(pattern, code))
        if not matches:
            sys.exit(f"{path}: the mutant {named}-{name} finds nothing like {pattern}")
        yield f"{named}-{name}", [(m.start(), m.end()) for m in matches], replacement


def places(path, text, named):
    """(name, [(start, end)], replacement) of everything that can be broken; named: of NAMED instead."""
    code = without_comments(text)
    if named:
        return named_places(path, code, named)
    for m in NOT_BUILT.finditer(code):
        code = code[: m.start()] + re.sub(r"[^\n]", " ", m[0]) + code[m.end() :]
    found = [(f"no-barrier-{i}", [(m.start(), m.end())], ";") for i, m in enumerate(BARRIER.finditer(code), 1)]
    uses = [m for m in CHECK.finditer(code) if not code[: m.start()].endswith("bool ")]
    found += [(f"no-check-{i}", [(m.start(), end_of_call(code, m.end() - 1))], "true") for i, m in enumerate(uses, 1)]
    return found


def reversible(text):
    return "gl_LocalInvocationID.y" not in text and NUMBER.search(without_comments(text))


ORDERS = {
    "-reversed": "(gl_WorkGroupSize.x - 1 - {})",
    "-rotated": "(({} + gl_WorkGroupSize.x / 2) % gl_WorkGroupSize.x)",
}


def reorder(text, order):
    return NUMBER.sub(lambda m: ORDERS[order].format(m[0]), text)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--list", action="store_true")
    p.add_argument("--mutants", nargs="+")
    for name in NAMED:
        p.add_argument("--" + name, dest="named", action="store_const", const=name)
    p.add_argument("-o", dest="outputs", nargs="+")
    p.add_argument("shader")
    a = p.parse_args()
    path = pathlib.Path(a.shader)
    text = flatten(path)
    if a.list:
        for name, *_ in places(path, text, a.named):
            print(name)
            if "barrier" in name and reversible(text):
                print("\n".join(name + order for order in ORDERS))
        return
    known = {name: (found, replacement) for name, found, replacement in places(path, text, a.named)}
    for mutant, output in zip(a.mutants, a.outputs, strict=True):
        order = next((order for order in ORDERS if mutant.endswith(order)), "")
        found, replacement = known.get(mutant.removesuffix(order)) or sys.exit(f"{a.shader}: no mutant {mutant}")
        broken = text
        for start, end in reversed(found):
            broken = broken[:start] + replacement + broken[end:]
        pathlib.Path(output).write_text(reorder(broken, order) if order else broken)


main()
