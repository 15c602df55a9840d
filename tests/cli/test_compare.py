#!/usr/bin/env python3
"""vkmatmul compare on saved reports, and the formats of bench as other programs read them. SCRIPT PROGRAM WRITE_BENCH: needs no Vulkan device."""
import csv
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import cli

HOSTILE = '=cmd|"/c x"!A1,<b>&@someone ]]> www.example.org http://example.org | `x` *y*\n\x01\xff\x1b[31m'
write_bench = None


def sample(form, speed=1, noise=0.01, *name):
    arguments = [write_bench, form, str(speed), str(noise), *(n.encode("latin1") for n in name)]
    return subprocess.run(arguments, stdout=subprocess.PIPE, check=True, timeout=cli.GUARD).stdout


class Compare(cli.Case):
    def report(self, name, speed=1, noise=0.01, form="json"):
        return self.file(name, sample(form, speed, noise))

    def one_device(self, name, speed=1, device=0, **changes):
        """A report of one device alone."""
        whole = json.loads(sample("json", speed))
        whole["devices"] = [whole["devices"][device]]
        whole["rows"] = [dict(row, device=0) for row in whole["rows"] if row["device"] == device]
        whole.update(changes)
        return self.file(name, json.dumps(whole).encode())

    def test_two_runs(self):
        old, new = self.one_device("old.json"), self.one_device("new.json", 0.9)
        found = json.loads(self.good("compare", old, new, "--json"))
        self.assertEqual(found["schema"], "vkmatmul.compare/1")
        self.assertEqual([c["report"] for c in found["contenders"]], ["old.json", "new.json"])
        self.assertEqual(len({c["label"] for c in found["contenders"]}), 2)
        ratio = found["means"][-1]["contenders"][1]["ratio"]
        self.assertAlmostEqual(ratio["middle"], 0.9, delta=0.002)
        self.assertTrue(ratio["low"] < 0.9 < ratio["high"] < 1, ratio)
        self.assertEqual(ratio["verdict"], "slower")
        again = json.loads(self.good("compare", old, self.one_device("again.json"), "--json"))
        self.assertTrue(all(r["contenders"][1]["ratio"]["verdict"] == "unclear" for r in again["rows"]))
        self.assertEqual((again["contenders"][0]["wins"], again["contenders"][1]["wins"]), (0, 0))
        self.assertEqual(again["unclear"], len(again["rows"]))
        text = self.good("compare", old, new)
        self.assertRegex(text, r"(?m)^all +\d+ rows +\d+ rows  ▼ 0\.9000 \(0\.8\d{3}–0\.9\d{3}\)$")
        self.assertRegex(text, r"1 wins 25 rows, 2 wins 0 rows; 1 is unclear")
        self.assertNotIn("regression", text)
        plain = cli.run("compare", old, new, env={"LC_ALL": "C"}).stdout
        self.assertTrue(plain.isascii())
        self.assertRegex(plain, r"(?m)^all +\d+ rows +\d+ rows  - 0\.9000 \(")

    def test_several_devices(self):
        """Devices of one report, and of several reports."""
        one = self.report("desk.json")
        self.assertEqual(len(json.loads(self.good("compare", one, "--json"))["contenders"]), 3)
        found = json.loads(self.good("compare", one, self.report("again.json"), one, "--json"))
        self.assertEqual((len(found["contenders"]), len({c["label"] for c in found["contenders"]})), (9, 9))
        long = [self.report("x" * 240 + end) for end in ("1.json", "2.json")]  # their labels are cut before these ends
        self.assertEqual(len({c["label"] for c in json.loads(self.good("compare", *long, "--json"))["contenders"]}), 6)
        self.assertEqual([c["same_device_as"] for c in found["contenders"]][3:], [0, 1, 2, 0, 1, 2])

    def test_a_saved_report_in_every_format(self):
        saved = self.report("saved.json")
        for form in ["json", "jsonl", "md", "junit"]:
            self.assertEqual(self.good("report", saved, "--" + form), sample(form).decode())
        fields, live = [[field for line in csv.reader(io.StringIO(text)) for field in line]
                        for text in [self.good("report", saved, "--csv"), sample("csv").decode()]]
        self.assertEqual(len(fields), len(live))
        for field, like in zip(fields, live):  # of ten digits, of which JSON kept nine
            if field != like:
                self.assertAlmostEqual(float(field) / float(like), 1, places=7)
        self.bad(2, "--csv writes one report, not 2", "report", saved, saved, "--csv")
        self.bad(2, "-o writes an HTML page: leave out --md", "report", saved, "--md", "-o", self.folder / "page.html")
        self.bad(2, r"lines\.jsonl: line 2: .* JSON Lines are not read", "report", self.report("lines.jsonl", form="jsonl"))

    def test_tables_of_saved_reports(self):
        """One has the table of its run; each of several is below its file's name."""
        old, new = self.report("old.json"), self.report("new.json", 0.9)
        tables = [self.good("report", saved) for saved in (old, new)]
        self.assertRegex(tables[0], r"(?s)Example Speedster 9000.*\n256³ +f32 .*\n\d+ rows: \d+ with a speed")
        self.assertEqual(self.good("report", old, new), "old.json\n" + tables[0] + "\nnew.json\n" + tables[1])

    def desk(self, name, *devices):
        """A report of devices by (name, driver, version, speed); without a speed, none of its rows ran."""
        like = json.loads(sample("json"))
        whole = dict(like, devices=[], rows=[])
        for index, (device, driver, version, speed) in enumerate(devices):
            whole["devices"].append(dict(like["devices"][0], label="%s, %s %s" % (device, driver, version), name=device, driver_name=driver,
                                         driver_info=version, uuid="00" * 16, vendor_id=0))
            rows = json.loads(sample("json", speed or 1))["rows"][:4]
            whole["rows"] += [dict(row, device=index, **({} if speed else {"not_run": "no time"})) for row in rows if row["device"] == 0]
        return self.file(name, json.dumps(whole).encode())

    def test_counterparts(self):
        """A device is judged by itself with its own driver, and by nobody else in its place."""
        def judged(old, new):
            old, new = self.desk("old.json", *old), self.desk("new.json", *new)
            done = cli.run("compare", old, new, "--json", "--fail-on-regression", "5%")
            found = json.loads(done.stdout)
            names = [c["label"].split(" (")[0] for c in found["contenders"]]
            bases = [(names[i], names[c["same_device_as"]] if c["same_device_as"] is not None else None) for i, c in enumerate(found["contenders"]) if c["report"] == "new.json"]
            return done.returncode, bases, [n for n in found["notes"] if "judged" in n or "counterpart" in n]

        alone = "without a counterpart, so not checked for regressions: "

        a, b = ("A", "one", "1", 1), ("A", "two", "1", 9)
        names = ["A, one 1, new.json", "A, one 1, old.json", "A, two 1, new.json", "A, two 1, old.json"]
        self.assertEqual(judged([a, b], [b, a]), (0, [(names[2], names[3]), (names[0], names[1])], []))
        # the counterpart has no speed, or is missing: another driver, or device, does not take its place
        for other in b, ("B", "two", "1", 9), ("B", "one", "1", 9):
            self.assertEqual(judged([("A", "one", "1", None), other], [a, other])[:2][0], 0)
            code, bases, notes = judged([other], [a, other])
            self.assertEqual((code, [base for _, base in bases].count(None), len(notes)), (0, 1, 1), notes)
            self.assertRegex(notes[0], alone + r"A, one 1(, new\.json)?$")
        # a newer version of the driver has its own first; what is left of a device is judged by what is left
        old, new = ("A", "one", "1", 9), ("A", "one", "2", 1)
        code, bases, notes = judged([old, new], [new, old])
        self.assertEqual((code, [base.split(",")[1] for _, base in bases]), (0, [" one 2", " one 1"]), notes)
        code, bases, notes = judged([("A", "one", "0", 9), old], [old, new])
        self.assertEqual((code, [base.split(",")[1] for _, base in bases]), (1, [" one 1", " one 0"]))
        self.assertRegex(notes[0], "is judged against .*: a different driver version")
        # the only ones of two reports, and that is said
        for only, what in (("A", "two", "1", 1), "driver"), (("B", "one", "1", 1), "device"):
            code, bases, notes = judged([a], [only])
            self.assertEqual((code, len(notes)), (0, 1))
            self.assertRegex(notes[0], "is judged against .*: a different %s$" % what)
        code, bases, notes = judged([a], [("B", "one", "1", 1), ("C", "one", "1", 1)])
        self.assertEqual((code, [base for _, base in bases], notes), (0, [None, None], [alone + "B, one 1; C, one 1"]))

    def test_pairs_of_interest(self):
        """Two reports: each device beside itself, in a part of its own, and nothing else."""
        a, b, c, d = ("A", "one", "1", 1), ("B", "one", "1", 2), ("C", "one", "1", 3), ("D", "one", "1", 4)
        old, new = self.desk("old.json", a, b, c), self.desk("new.json", d, ("B", "one", "1", 4), ("A", "one", "1", 3))
        text = self.good("compare", old, new)
        titles = re.findall(r"(?m)^size +type +kernel +(.*?) *$", text)
        self.assertEqual([re.split("  +", title) for title in titles], [["GFLOP/s 1", "GFLOP/s 6", "6 : 1"], ["GFLOP/s 2", "GFLOP/s 5", "5 : 2"]])
        self.assertEqual(re.findall(r"(?m)^all .* ▲ (\S+)", text), ["3.000", "2.000"])
        self.assertRegex(text, r"(?m)^without a counterpart, so not checked for regressions: C, one 1; D, one 1$")
        found = json.loads(self.good("compare", old, new, "--json"))
        self.assertEqual([one["base"] for one in found["contenders"]], [0, 1, 2, None, 1, 0])
        self.assertEqual([cell["ratio"] and round(cell["ratio"]["middle"], 3) for cell in found["rows"][0]["contenders"]], [1, 1, 1, None, 2, 3])
        rows = cli.table(self.good("compare", old, new, "--csv"))
        self.assertEqual([row["ratio_to"] for row in rows[:6]], ["1", "2", "3", "", "2", "1"])

    def test_filtered(self):
        """--device and --type choose from reports what they choose from a machine."""
        old, new = self.report("old.json"), self.report("new.json", 0.9)
        found = json.loads(self.good("compare", old, new, "--type", "f64,u32", "--device", "cpu,graphics", "--json"))
        self.assertEqual([c["device"]["name"].split()[0] for c in found["contenders"]], ["Modest", "Example"] * 2)
        self.assertEqual({row["problem"]["type"] for row in found["rows"]}, {"f64", "u32"})
        for word, name in ("0", "Speedster"), ("openblas", "Processor"), ("open driver", "Graphics"), ("GPU", "(Speedster|Graphics)"):
            rows = cli.table(self.good("report", old, "--csv", "--type", "f32", "--device", word))
            self.assertGreater(len(rows), 4)
            for row in rows:
                self.assertRegex(row["device"], name)
                self.assertEqual(row["type"], "f32")
        lines = self.good("report", old, "--type", "i32", "--device", "graphics")
        self.assertRegex(lines, r"(?m)^Modest[^~]*^1024³ +i32 ")
        self.assertNotRegex(lines, r"(?m)^\S+ +f32 |Speedster")
        for command in ["compare", old, new], ["report", old]:
            self.bad(2, "--device and --type leave nothing of these reports; their devices: Example Speedster 9000, Modest", *command, "--device", "nosuch")
            self.bad(2, "leave nothing of these reports", *command, "--type", "bf16")

    def test_saved_comparison(self):
        """What compare writes has the reports that it was made of: report and compare read those."""
        old, new = self.report("old.json"), self.report("new.json", 0.9)
        text = self.good("compare", old, new, "--json")
        found = self.file("found.json", text.encode())
        self.assertEqual(self.good("report", found), self.good("report", old, new))
        self.assertEqual(self.good("compare", found), self.good("compare", old, new))
        self.assertEqual(json.loads(self.good("compare", found, "--json"))["rows"], json.loads(text)["rows"])
        self.good("report", found, new, "-o", self.folder / "page.html")
        whole = json.loads(text)
        whole["reports"][1]["rows"][0]["device"] = 9
        self.bad(2, r"found\.json: reports\[1\]\.rows\[0\]\.device is 9; the report has 3 devices", "report", self.file("found.json", json.dumps(whole).encode()))
        del whole["reports"]
        self.bad(2, r"found\.json: reports is missing", "report", self.file("found.json", json.dumps(whole).encode()))

    def test_regressions(self):
        old, new = self.report("old.json"), self.report("new.json", 0.9)
        done = cli.run("compare", old, new, "--fail-on-regression", "5%")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Avkmatmul: 63 rows are slower than in old\.json by more than 5 %[^\n]*\n\Z")
        self.assertEqual(len(re.findall(r"(?m)^  \d is slower than \d in .*: ▼ 0\.[89]", done.stdout)), 63)
        self.assertIn("0 regressions beyond the noise and 15 %", self.good("compare", old, new, "--fail-on-regression", "15%"))
        self.assertIn("0 regressions", self.good("compare", new, old, "--fail-on-regression", "0"))
        self.assertIn("0 regressions", self.good("compare", old, self.report("same.json"), "--fail-on-regression", "0"))
        found = json.loads(cli.run("compare", old, new, "--fail-on-regression", "5", "--json").stdout)
        self.assertEqual((len(found["regressions"]), found["regressions"][0]["contender"], found["regressions"][0]["base"]), (63, 3, 0))
        middles = [contender["ratio"]["middle"] for contender in found["means"][-1]["contenders"]]
        self.assertAlmostEqual(middles[0], 1, places=12)
        self.assertAlmostEqual(middles[3], 0.9, delta=0.002)
        self.good("compare", old, new)
        self.bad(2, "fail-on-regression takes a percentage", "compare", old, new, "--fail-on-regression", "-5%")

    def test_other_versions(self):
        old = self.one_device("old.json")
        new = self.one_device("new.json", tool=dict(json.loads(old.read_text())["tool"], version="9.9", shader_hash="ffff"), unknown_key=[1])
        text = self.good("compare", old, new)
        self.assertIn("different versions of vkmatmul: 0.1.0 and 9.9", text)
        self.assertIn("different shaders", text)

    def test_rows_of_one_alone(self):
        whole = json.loads(self.one_device("old.json").read_text())
        old = self.file("old.json", json.dumps(whole).encode())
        part = self.file("part.json", json.dumps(dict(whole, rows=whole["rows"][:3])).encode())
        found = json.loads(self.good("compare", old, part, "--json"))
        self.assertEqual((len(found["rows"]), found["alone"]), (3, len(whole["rows"]) - 3))
        self.assertRegex(self.good("compare", old, part), r"23 rows with a speed for only one of them are left out")
        other = self.file("other.json", json.dumps(dict(whole, rows=whole["rows"][3:])).encode())
        self.bad(2, "no product was measured on two", "compare", part, other)
        self.bad(2, "no product was measured on two", "compare", part, other, "--json")

    def test_refusals(self):
        old = self.one_device("old.json")
        self.bad(2, "only one device has a speed here", "compare", old)
        page, pipe = self.folder / "page.html", self.folder / "pipe.json"
        os.mkfifo(pipe)
        for path in self.file("text.json", b"hello"), self.folder / "nowhere.json", self.folder, pipe:
            self.bad(2, path.name, "compare", old, path)
            self.bad(2, path.name, "report", path, "-o", page)
            self.assertFalse(page.exists())
        for option in ["-o", "x.json"], ["--suite", "quick"], ["--budget", "5s"], ["--no-host"], ["--untuned"], ["--no-layers"], ["--seed", "2"]:
            self.bad(2, option[0] + " applies only to measuring this machine", "compare", old, old, *option)
        self.bad(2, "--fail-on-regression needs reports", "compare", "--fail-on-regression", "5%")
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.assertEqual(cli.run("compare", old, old, stdout=full).returncode, 2)

    def test_junit(self):
        """A suite for each contender; its failures are the regressions that the exit code is for, and wrong rows."""
        old, new = self.report("old.json"), self.report("new.json", 0.9)
        for options, code, slower in ([], 0, 0), (["--fail-on-regression", "5%"], 1, 63), (["--fail-on-regression", "15%"], 0, 0):
            done = cli.run("compare", old, new, "--junit", *options)
            root = xml.etree.ElementTree.fromstring(done.stdout.encode())
            suites = root.findall("testsuite")
            failures = root.findall("testsuite/testcase/failure")
            self.assertEqual((done.returncode, len(suites), sum(f.get("type") == "slower" for f in failures)), (code, 6, slower))
            self.assertEqual([int(s.get("failures")) for s in suites], [len(s.findall("testcase/failure")) for s in suites])
            self.assertEqual(sum(f.get("type") == "wrong" for f in failures), 4)
        self.assertRegex(cli.run("compare", old, new, "--junit", "--fail-on-regression", "5%").stdout, r'message="0\.9 times as fast \(0\.8\S+ to 0\.9\S*\) as Example')

    def test_csv(self):
        rows = cli.table(self.good("compare", self.report("old.json"), self.report("new.json", 0.9), "--csv"))
        self.assertEqual({row["contender"] for row in rows}, set("123456"))
        self.assertTrue(all(row["ratio"] == "" or float(row["ratio_low"]) <= float(row["ratio"]) for row in rows))
        self.assertTrue(any(row["wrong"] == "true" and row["gflops"] == "" for row in rows))


class Formats(cli.Case):
    def table(self, *name):
        text = sample("csv", 1, 0.01, *name).decode()
        self.assertTrue(text.endswith("\r\n"))
        return cli.table(text)

    def test_csv(self):
        rows = self.table()
        self.assertEqual(len(rows), 69)
        wrong = [row for row in rows if row["passed"] == "false" and row["verify"] == "freivalds"]
        self.assertEqual(len(wrong), 2)
        for row in wrong + [row for row in rows if row["not_run"]]:
            self.assertEqual([row[k] for k in ("gflops", "kernel_ms", "noise", "drift", "throttled")], [""] * 5)
        self.assertTrue(any(float(row["drift"] or 0) < 0 for row in rows), "no negative number to be kept as it is")

    def test_hostile_names_are_only_text(self):
        hostile = self.file("hostile.json", sample("json", 1, 0.01, HOSTILE))
        for args in [["compare", hostile, hostile], ["report", hostile], ["compare", hostile, hostile, "--md"]]:
            self.assertNotIn("\x1b", self.good(*args))

    def test_csv_formulas(self):
        for row in self.table(HOSTILE):
            for key, field in row.items():
                self.assertFalse(field[:1] in "=+@" and field, (key, field))
                self.assertFalse(field.startswith("-") and not re.fullmatch(r"-[0-9.e+-]+", field), (key, field))
        self.assertTrue(self.table(HOSTILE)[0]["device"].startswith("'=cmd|"))
        self.assertTrue(self.table("-2+3")[0]["device"].startswith("'-2"))

    def test_junit(self):
        for name in (), (HOSTILE,):
            suites = xml.etree.ElementTree.fromstring(sample("junit", 1, 0.01, *name)).findall("testsuite")
            self.assertEqual(len(suites), 3)
            for suite in suites:
                cases = suite.findall("testcase")
                counts = {"tests": len(cases), "failures": len(suite.findall("testcase/failure")),
                          "errors": len(suite.findall("testcase/error")), "skipped": len(suite.findall("testcase/skipped"))}
                self.assertEqual({k: int(suite.get(k)) for k in counts}, counts)
                self.assertEqual(len(cases), len({(c.get("classname"), c.get("name")) for c in cases}) if not name else len(cases))
            self.assertEqual([int(s.get("failures")) for s in suites], [0, 2, 0])
            self.assertEqual([int(s.get("skipped")) for s in suites], [0, 2, 1])
        self.assertIn("1 GiB", xml.etree.ElementTree.fromstring(sample("junit")).find("testsuite/testcase/skipped").get("message"))

    def test_markdown(self):
        for name in (), (HOSTILE,):
            text = sample("md", 1, 0.01, *name).decode()
            tables = [line for line in text.splitlines() if line.startswith("|")]
            self.assertEqual(len(tables), 69 + 2 * 3)  # a title and a rule for each device, however its rows are mixed with others'
            for line in tables:
                self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 15, line)
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f]")
            self.assertNotRegex(text, r"(?<!\\)[*`]|(?<!\\)<(?!!-- -->)|@(?!<!-- -->)|(?<!\\)://")


if __name__ == "__main__":
    write_bench = os.path.abspath(sys.argv.pop(2))
    cli.main()
