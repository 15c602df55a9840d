"""recorded.py -o FILE RECORD...: the tunes of records (vkmatmul record) as the tables of src/lib/plan/recorded.c.

Only configurations that were clearly faster than the planner's choice are taken, and of several records of a device
the newest."""
import argparse
import json
import pathlib
import sys

WORTH = 1.03  # times the planner's speed; less may be noise
DEVICE_TYPES = {"discrete": "DISCRETE_GPU", "integrated": "INTEGRATED_GPU", "virtual": "VIRTUAL_GPU", "cpu": "CPU", "other": "OTHER"}


def device_row(device):
    limits = device["limits"]
    return "    {%s, VK_PHYSICAL_DEVICE_TYPE_%s, %d, %d, %d, %d, %d, %d}," % (
        json.dumps(device["name"]), DEVICE_TYPES[device["type"]], device["vendor_id"], device["driver_id"], limits["processors"] or 0,
        limits["subgroup_size"], limits["max_shared_bytes"], len(device["matrix_shapes"]))


def tune_row(index, tune):
    problem, best, planned = tune["problem"], tune["best"], tune["planned"]
    types = ", ".join("VKMM_" + problem[key].upper() for key in ["type", "out_type", "compute"])
    ops = ", ".join("VKMM_OP_" + problem[key] for key in ["transpose_a", "transpose_b"])
    return "    {%d, %s, %s, %d, %d, %d, {%s, %s}, %s}," % (
        index, types, ops, problem["m"], problem["n"], problem["k"], json.dumps(best["kernel"]), json.dumps(best["config"]),
        json.dumps(planned["config"]))


def is_worth_it(tune):
    """A problem that recorded.c can name, and a gain."""
    problem = tune["problem"]
    if tune["best"] is None or problem["layout"] != "row" or problem["batch_count"] > 1 or problem["method"] != "direct":
        return False
    return tune["best"]["gflops"] > WORTH * (tune["planned"]["gflops"] or 0)


def array(kind, name, rows):
    return "static const vkmm_recorded_%s %s[] = {\n%s\n};\n" % (kind, name, "\n".join(rows or ["    {0},"]))


def tables(records):
    newest = {}
    for record in sorted(records, key=lambda record: record["created"]):
        if record.get("tunes"):
            newest[record["device"]["name"], record["device"]["driver_id"]] = record
    devices, tunes = [], []
    for record in newest.values():
        rows = [tune_row(len(devices), tune) for tune in record["tunes"] if is_worth_it(tune)]
        if rows:
            devices.append(device_row(record["device"]))
            tunes += rows
    return array("device", "devices", devices) + array("tune", "tunes", tunes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", required=True, type=pathlib.Path)
    parser.add_argument("records", nargs="*", type=pathlib.Path)
    given = parser.parse_args()
    try:
        text = tables([json.loads(path.read_text(encoding="utf-8")) for path in given.records])
    except (KeyError, TypeError, ValueError) as error:
        sys.exit("recorded.py: a record is not as doc/bench.schema.json has it: %r" % error)
    given.o.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
