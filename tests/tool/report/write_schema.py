#!/usr/bin/env python3
"""write_schema.py WRITE_BENCH: adds to doc/bench.schema.json what the tables of records have and it lacks. What the two
disagree about is printed, and changed by hand; so is the description that each new key needs."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli"))
import schema


def made(write_bench):
    """What the tables tell."""
    return json.loads(subprocess.run([write_bench, "--schema"], stdout=subprocess.PIPE, text=True, encoding="utf-8", check=True).stdout)


def merge(tables, doc, path=""):
    """Adds to doc what it lacks, and returns the paths of that, and of what the two disagree about. The text may be narrower
    than the tables: smaller numbers, null for one more value."""
    if isinstance(tables, dict) and isinstance(doc, dict):
        found = [f"{path}/{key} is new" for key in tables if key not in doc]
        for key in tables:
            found += merge(tables[key], doc.setdefault(key, tables[key]), f"{path}/{key}")
        return found + [f"{path}/{key} is in no table" for key in doc if path.endswith("properties") and key not in tables]
    if isinstance(tables, list) and isinstance(doc, list) and len(tables) == len(doc):
        return [each for i, pair in enumerate(zip(tables, doc)) for each in merge(*pair, f"{path}/{i}")]
    if path.endswith("/maximum") and doc <= tables or isinstance(doc, list) and tables in doc:
        return []
    return [] if tables == doc else [f"{path} is {tables} by the tables"]


def undescribed(node, path=""):
    """Paths of the keys that nothing is said of."""
    if isinstance(node, list):
        return [each for i, part in enumerate(node) for each in undescribed(part, f"{path}/{i}")]
    if not isinstance(node, dict):
        return []
    return [each for key, part in node.items() if key != "if" for each in undescribed(part, f"{path}/{key}")] + [
        f"{path}/properties/{key} has no description" for key, part in node.get("properties", {}).items()
        if "type" in part and "description" not in part and part["type"] != "null" and key not in ("schema", "properties")]


def main():
    doc = schema.SCHEMA
    print("\n".join(merge(made(sys.argv[1]), doc) + undescribed(doc)))
    schema.PATH.write_text(json.dumps(doc, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
