#!/usr/bin/env python3
"""`vkmatmul trace --html FILE` in a browser: what the device recorded, on the page.

    test_program.py VKMATMUL [unittest arguments]"""
import json
import subprocess

import page


class Program(page.Case):
    def trace(self, *args):
        """The page's path and the same trace as JSON."""
        path = self.folder / "page.html"
        path.unlink(missing_ok=True)
        line = [*page.programs, "trace", *args, "--html", str(path), "--json"]
        done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return path, json.loads(done.stdout)

    def test_kernels(self):
        for kernel in ["naive", "grouped", "tiled", "band", "band-tiled"]:
            tile = [] if kernel == "naive" else ["--tile", "4"]
            path, trace = self.trace("--size", "7x9x6", *tile, "--kernel", kernel, "--at", "5,8", "--type", "f32")
            self.browser.open(path)
            s = self.press("End")
            self.assertEqual((s["followed"], s["slider"]), ("C[5][8]", str(len(trace["steps"]))), kernel)
            self.assertEqual(float(s["values"]["c"]["5,8"].replace("−", "-")), float("%.6g" % trace["c"][5][8]), kernel)
            sums = [step for step in trace["steps"] if step["kind"] == "sum"]
            me = next(one["index"] for one in trace["invocations"] if [one["row"], one["col"]] == [5, 8])
            self.assertEqual(s["partials"], [page.figure(step["sums"][me]) for step in sums], kernel)
            self.assertIn(trace["device"]["name"], self.browser.text("#origin"))


page.main()
