#!/usr/bin/env python3
"""test_schema.py WRITE_BENCH: doc/bench.schema.json takes what the writers write, and refuses it broken."""
import copy
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli"))
import schema
from cli import strict
import write_schema

if not schema.available:
    print("no jsonschema in Python")
    sys.exit(77)

write_bench = sys.argv.pop(1)


def written(form):
    return subprocess.run([write_bench, form], stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True).stdout


MISSING = object()
ROW = ["rows", 0]


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = strict(written("json"))
        # What is broken below is broken in one row: the rest of the many would only take time.
        cls.small = dict(cls.report, rows=cls.report["rows"][:1])

    def test_takes_reports(self):
        schema.check(self.report)
        schema.check(self.small)
        self.assertEqual(len(self.report["rows"]), 69)
        self.assertTrue(any(row["not_run"] for row in self.report["rows"]))
        self.assertTrue(any(row["throttled"] for row in self.report["rows"]))

    def test_takes_lines(self):
        text = written("jsonl")
        schema.check_lines(text)
        kinds = [strict(line)["schema"].split("/")[0].split(".")[-1] for line in text.splitlines()]
        self.assertEqual(kinds[:5], ["head", "device", "device", "device", "row"])
        self.assertEqual(kinds[-2:], ["device", "end"])

    def test_is_that_of_the_tables(self):
        """`ninja -C build write-schema` adds what is missing."""
        doc = copy.deepcopy(schema.SCHEMA)
        self.assertEqual(write_schema.merge(write_schema.made(write_bench), doc) + write_schema.undescribed(doc), [])
        self.assertEqual(schema.PATH.read_text(encoding="utf-8"), json.dumps(doc, indent=2, ensure_ascii=False) + "\n")

    def test_misses_what_tables_have(self):
        tables = {"$defs": {"row": {"properties": {"new": {"type": "integer", "maximum": 9}, "old": {"type": "string"}}}}}
        doc = {"$defs": {"row": {"properties": {"old": {"type": "boolean", "description": "x"}, "gone": {"type": "string"}}}}}
        self.assertEqual(write_schema.merge(tables, doc), [
            "/$defs/row/properties/new is new", "/$defs/row/properties/old/type is string by the tables",
            "/$defs/row/properties/gone is in no table"])
        self.assertEqual(write_schema.undescribed(doc), [
            "/$defs/row/properties/gone has no description", "/$defs/row/properties/new has no description"])

    def test_takes_later_versions(self):
        schema.check(dict(self.small, schema="vkmatmul.bench/1.12", surprise=[1]))

    def test_refuses_the_broken(self):
        cases = [
            (["schema"], "vkmatmul.bench/2"), (["schema"], MISSING), (["rows"], MISSING), (["devices"], {}), (["tool", "version"], 1),
            ([*ROW, "device"], -1), ([*ROW, "device"], "0"), ([*ROW, "gflops"], "fast"), ([*ROW, "gflops"], -3),
            ([*ROW, "time", "kernel_ms", "samples", 3], None), ([*ROW, "time", "kernel_ms", "samples", 3], -1),
            ([*ROW, "time", "round_ends", 0], 0.5), ([*ROW, "problem", "type"], "f17"), ([*ROW, "problem", "m"], MISSING),
            ([*ROW, "problem", "k"], 2 ** 32), ([*ROW, "kernel", "tile"], [16]), ([*ROW, "kernel", "spec_constants"], {"x": 1}),
            ([*ROW, "verify", "passed"], "yes"), ([*ROW, "verify", "passed"], False), ([*ROW, "verify"], None), ([*ROW, "not_run"], "no time"),
            (["devices", 0, "uuid"], "zz"), (["devices", 0, "type"], "toaster"), (["devices", 0, "peaks", "copy_bytes_per_s"], "4e12"),
            (["devices", 0, "peaks", "matrix", 0, "a"], 0), (["devices", 0, "heaps", 0, "bytes"], -1),
            (["complete"], None), (["layers"], "none"),
        ]
        for path, value in cases:
            broken = copy.deepcopy(self.small)
            at = broken
            for step in path[:-1]:
                at = at[step]
            if value is MISSING:
                del at[path[-1]]
            else:
                at[path[-1]] = value
            with self.assertRaises(schema.jsonschema.ValidationError, msg=(path, value)):
                schema.check(broken)


unittest.main(verbosity=1)
