#!/usr/bin/env python3
"""`vkmatmul race`: right with the barrier, an honest account without it."""
import json
import re

import cli

KEYS = {"schema", "tool", "device", "subgroup_size", "matrix", "tile", "workgroup", "groups", "runs", "with_barrier", "without_barrier", "passed"}
NARROW = ["--iters", "3"]


class Race(cli.Case):
    def rows(self, *args):
        return [json.loads(line) for line in self.good("race", "--json", *NARROW, *args).splitlines()]

    def check(self, row):
        elements = row["matrix"]["rows"] * row["matrix"]["cols"]
        self.assertEqual(row["with_barrier"], {"wrong_runs": 0, "wrong_elements": 0, "wrong": None})
        self.assertTrue(row["passed"])
        racing = row["without_barrier"]
        self.assertTrue(racing["wrong_runs"] <= racing["wrong_elements"] <= racing["wrong_runs"] * elements and racing["wrong_runs"] <= row["runs"])
        self.assertEqual(racing["wrong"] is None, racing["wrong_runs"] == 0)
        self.assertEqual(set(racing["wrong"] or ()), {"row", "col", "got", "want"} if racing["wrong_runs"] else set())

    def test_keys(self):
        devices = cli.devices()
        rows = self.rows()
        self.assertEqual(len(rows), 2 * len(devices))
        for row in rows:
            self.assertEqual(set(row), KEYS)
            self.assertEqual((row["schema"], row["runs"]), ("vkmatmul.race/1", 3))
            self.check(row)
        self.assertEqual(rows[0]["matrix"], {"rows": 2, "cols": 6, "type": "i32", "init": "index"})
        self.assertEqual((rows[0]["tile"], rows[0]["workgroup"], rows[0]["groups"]), ([2, 2], [2, 2, 1], [3, 1, 1]))
        self.assertEqual((rows[1]["matrix"], rows[1]["tile"]), ({"rows": 32, "cols": 32, "type": "i32", "init": "ones"}, [16, 16]))
        self.assertIn(rows[0]["device"]["uuid"], {d["uuid"] for d in devices})

    def test_sizes_and_tiles(self):
        rows = self.rows("--size", "7x13,40,100x3", "--tile", "3x5", "--device", "0")
        self.assertEqual([(r["matrix"]["rows"], r["matrix"]["cols"]) for r in rows], [(7, 13), (40, 40), (100, 3)])
        self.assertEqual([r["tile"] for r in rows], [[3, 5]] * 3)
        for row in rows:
            self.check(row)
        short = self.rows("-s", "5x4", "-t", "2")
        self.assertEqual((short[0]["matrix"]["rows"], short[0]["tile"]), (5, [2, 2]))

    def test_table(self):
        for i, args in enumerate([[], ["-s", "1000x3", "-t", "5x1"], ["-s", "1x300"], ["-s", "33", "-t", "8"]]):
            locale = ["C", "C.UTF-8"][i % 2]
            text = self.good("race", *NARROW, *args, env={"LC_ALL": locale})
            lines = [line for line in text.splitlines() if " Vulkan " not in line]  # a device's name is as long as it is
            self.assertTrue(all(len(line) <= 80 and line == line.rstrip() for line in lines), text)
            self.assertIn("race that never shows is still a race", " ".join(text.split()))
            self.assertRegex(text, r"with +wrong in 0 of 3 runs\n")
            self.assertTrue(locale != "C" or text.isascii())
        text = self.good("race", "--size", "2x6", "--tile", "2", *NARROW)
        self.assertRegex(text, r"(?m)^      18    18    26    26    34    34 ")  # the right one; the other stands beside it

    def test_stars_mark_what_is_wrong(self):
        text = self.good("race", *NARROW, "--size", "9", "--tile", "9", "--device", "0")
        numbers = [line for line in text.splitlines() if line.startswith("    3321  ")]
        self.assertEqual(len(numbers), 9)
        wrong = int(re.search(r"without +wrong in (\d+) of 3 runs", text)[1])
        self.assertEqual(any("*" in line for line in numbers), wrong > 0)
        for line in numbers:
            for word in line.split():
                self.assertEqual(word.startswith("*"), word.lstrip("*") != "3321", line)

    def test_refuses(self):
        self.bad(2, "invalid size '2x6x4': use N, MxN", "race", "--size", "2x6x4")
        self.bad(2, "invalid size '2x6': use N, MxNxK", "--size", "2x6")
        self.bad(2, "--kernel is not an option of 'vkmatmul race'", "race", "--kernel", "tiled")
        self.bad(3, "Voodoo 2", "race", "--device", "Voodoo 2")
        for size in ["0", "0x5", "5x0"]:
            self.bad(2, "both extents must be at least 1", "race", "--size", size, "--device", "0")
        self.bad(4, "tile 4096x4096 needs 16777216 invocations.*nearest legal", "race", "--size", "64", "--tile", "4096", "--device", "0")


cli.main()
