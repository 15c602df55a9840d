"""Whether reports keep to doc/bench.schema.json: for the tests of all that writes them.

    import schema
    schema.check(json.loads(text))          a whole report, or one line; raises jsonschema.ValidationError
    schema.check_lines(text)                every line of a report in lines

Without Python's jsonschema nothing is checked, and `available` is False."""
import json
import pathlib

try:
    import jsonschema
    available = hasattr(jsonschema, "Draft202012Validator")
except ImportError:
    available = False

PATH = pathlib.Path(__file__).resolve().parents[2] / "doc" / "bench.schema.json"
SCHEMA = json.loads(PATH.read_text(encoding="utf-8"))


def check(instance):
    if available:
        jsonschema.Draft202012Validator(SCHEMA).validate(instance)


def check_lines(text):
    for line in text.splitlines():
        check(json.loads(line))
