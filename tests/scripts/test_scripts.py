#!/usr/bin/env python3
"""scripts/run and scripts/setup --link; scripts/vs-cublas, scripts/sweep, scripts/machine-code, scripts/plot-speed and scripts/plot-timeline. Programs that
play the others stand in for vkmatmul, meson, ninja, the script that times cuBLAS, nvdisasm, and gnuplot."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
VKMATMUL = '''import json, sys
sizes = sys.argv[sys.argv.index("--size") + 1].split(",")
for text in sizes:
    m, n, k = (int(x) for x in (text.split("x") * 3)[:3])
    right = m != 4097
    print(json.dumps({"problem": {"m": m, "n": n, "k": k}, "verify": {"passed": right}, "gflops": 300.0 if right else None}))
'''
CUBLAS = '''import json, sys
sizes = sys.argv[sys.argv.index("--sizes") + 1].split(",")
for text in sizes:
    m, n, k = (int(x) for x in (text.split("x") * 3)[:3])
    print(json.dumps({"m": m, "n": n, "k": k, "tflops": 0.2}))
'''

WORKER = '''import json, sys
problem = json.loads(sys.stdin.readline())["problem"]
print(json.dumps({"status": 0}), flush=True)
for line in sys.stdin:
    candidate, = json.loads(line)["candidates"]
    config = dict(s.split("=") for s in candidate["config"].split(","))
    if config["depth"] == "11":
        sys.exit(3)
    ms = problem["m"] * problem["n"] * problem["k"] / int(config["rows"]) * 1e-9
    print(json.dumps({"7": {"status": 5, "sentence": "blocked needs 7 things: whole things"}, "9": {"status": 1, "sentence": "element"}}.get(
        config["depth"], {"status": 0, "ms": [ms, 0], "rounds": 3})), flush=True)
'''

NINJA = '''import os, pathlib, sys
folder, quiet = sys.argv[2], "--quiet" in sys.argv
if not quiet:
    print(os.environ["NINJA_STATUS"].replace("%f", "1").replace("%t", "1") + "all of it")
program = pathlib.Path(folder, sys.argv[-1])
program.parent.mkdir(parents=True, exist_ok=True)
program.write_text("#!/bin/sh\\nIFS='|'\\necho \\"$*\\"\\nexit 7\\n")
program.chmod(0o755)
'''


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text, program=False):
        path = self.folder / name
        path.write_text(f"#!{sys.executable}\n{text}" if program else text)
        path.chmod(0o755)
        return str(path)

    def run_script(self, name, *arguments, path=None):
        environment = dict(os.environ, **({"PATH": path} if path else {}))
        return subprocess.run([sys.executable, str(ROOT / "scripts" / name), *arguments], capture_output=True, text=True, env=environment)

    def tree(self, copied, played):
        """A tree with one script of this one; the other is played."""
        (self.folder / "scripts").mkdir()
        shutil.copy(ROOT / "scripts" / copied, self.folder / "scripts")
        self.file("scripts/" + played, "", program=True)
        return str(self.folder / "scripts" / copied)

    def test_the_first_build_shows_what_it_does(self):
        run = self.tree("run", "setup")
        self.file("meson", "import sys, pathlib\nbuild = pathlib.Path(sys.argv[2])\nbuild.mkdir(exist_ok=True)\n(build / 'build.ninja').touch()", True)
        self.file("ninja", NINJA, True)
        environment = dict(os.environ, PATH="%s:%s" % (self.folder, os.environ["PATH"]), VKMM_BUILD_DIR=str(self.folder / "build"))
        first, second = (subprocess.run([run, "a", "b c"], capture_output=True, text=True, env=environment) for _ in range(2))
        self.assertRegex(first.stderr, r"\Arun: configuring .*\nrun: building \[1 of 1\] all of it\n\Z")
        self.assertEqual((first.returncode, first.stdout), (7, "a|b c\n"))
        self.assertEqual((second.returncode, second.stdout, second.stderr), (7, "a|b c\n", ""))

    def test_links_make_a_command_with_manual_and_completions(self):
        setup = self.tree("setup", "run")
        prefix, build = self.folder / "prefix", self.folder / "build"

        def link(how, path, shell="/bin/bash"):
            environment = dict(os.environ, PATH=path, VKMM_BUILD_DIR=str(build), SHELL=shell)
            return subprocess.run([setup, how, str(prefix)], capture_output=True, text=True, env=environment)
        done = link("--link", os.environ["PATH"])
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("%s/bin is not in PATH" % prefix, done.stderr)
        program, share = prefix / "bin" / "vkmatmul", prefix / "share"
        self.assertEqual(os.readlink(program), str(build / "src/tool/vkmatmul"))
        found = {str(path.relative_to(share)): os.path.relpath(os.readlink(path), self.folder) for path in share.rglob("*") if not path.is_dir()}
        self.assertEqual(found, {"man/man1/vkmatmul.1": "doc/vkmatmul.1",
                                 "bash-completion/completions/vkmatmul": "doc/completions/vkmatmul.bash",
                                 "zsh/site-functions/_vkmatmul": "doc/completions/_vkmatmul",
                                 "fish/vendor_completions.d/vkmatmul.fish": "doc/completions/vkmatmul.fish"})
        for target in found.values():
            self.assertTrue((ROOT / target).exists(), target)
        again = link("--link", "%s:%s" % (prefix / "bin", os.environ["PATH"]))
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn("PATH", again.stderr)
        self.assertNotIn("zsh finds", again.stderr)
        self.assertIn('fpath+=("%s/zsh/site-functions")' % share, link("--link", os.environ["PATH"], "/usr/bin/zsh").stderr)
        self.assertEqual(link("--unlink", os.environ["PATH"]).returncode, 0)
        self.assertEqual([path for path in prefix.rglob("*") if not path.is_dir()], [])
        program.write_text("somebody else's")
        self.assertRegex(link("--link", os.environ["PATH"]).stderr, r"is not a link; remove it first")
        link("--unlink", os.environ["PATH"])
        self.assertEqual(program.read_text(), "somebody else's")

    def test_ratios_come_from_verified_products_alone(self):
        log = self.folder / "log"
        done = self.run_script("vs-cublas", "--cublas", self.file("cublas.py", CUBLAS), "--vkmatmul", self.file("vkmatmul", VKMATMUL, True),
                               "--only", "squares,shapes,cliffs", "--log", str(log))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = {line.split("  ")[0]: line.split() for line in done.stdout.splitlines()}
        self.assertEqual(rows["1024"][1:4], ["300", "200", "1.50"])
        self.assertEqual(rows["4096x1x14336"][1:4], ["300", "200", "1.50"])
        self.assertEqual(rows["4097"][1:4], ["nan", "200", "-"])
        self.assertIn("geometric mean 1.500, worst 1.500", done.stdout)
        self.assertNotIn("4096 ± 1", done.stdout)  # 4097 was wrong: no cliff can be told
        self.assertIn("512 ± 1", done.stdout)
        self.assertEqual(sum("tflops" in json.loads(line) for line in log.read_text().splitlines()), 1 + 4 + 12)

    @unittest.skipUnless(shutil.which("zstd"), "no zstd")
    def test_machine_code_has_what_instructions_wait_for(self):
        # The fields above bit 105: it waits for scoreboards 0, 1, 3 and 5, and counts 0 down when it has read its operands.
        code = ((0b101011 << 11 | 0 << 8 | 7 << 5 | 1) << 105).to_bytes(16, "little")
        program = b"NVDANVVMNVuc".ljust(76, b"\0") + len(code).to_bytes(4, "little") + (88).to_bytes(4, "little") + bytes(12) + code
        frame = subprocess.run(["zstd", "-c"], input=program, capture_output=True, check=True).stdout
        (self.folder / "pipelines.bin").write_bytes(b"VKMMPIPE" + frame + b"what follows")
        tool = self.file("nvdisasm", "import sys\nif len(open(sys.argv[3], 'rb').read()) == 16: print('  /*0000*/  STS.128 [R127], R68 ;')\n", True)
        done = self.run_script("machine-code", str(self.folder / "pipelines.bin"), "--nvdisasm", tool)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "program 1: 16 bytes\n0000  W- R0  0135     1  STS.128 [R127], R68\n")
        for file, words in [("/nowhere", "No such file"), (tool, "has no program")]:
            done = self.run_script("machine-code", file)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Amachine-code: .*" + words)

    def test_without_cublas_nothing_is_compared(self):
        for arguments, words in [([], "no script that times cuBLAS"), (["--cublas", "/nowhere"], "no script"),
                                 (["--cublas", self.file("broken.py", "raise SystemExit('no torch here')")], "does not run here: no torch here")]:
            done = self.run_script("vs-cublas", *arguments)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, r"\Avs-cublas: skipped: .*" + words)

    def test_matrix_types_stand_beside_cublas(self):
        done = self.run_script("vs-cublas", "--cublas", self.file("cublas.py", CUBLAS), "--vkmatmul", self.file("vkmatmul", VKMATMUL, True),
                               "--only", "matrix")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sum("f16 sums" in line for line in done.stdout.splitlines()), 7)
        self.assertRegex(done.stdout, r"i8 4096x8x14336 +300 +200 +1\.50  cuBLAS, B transposed")

    def test_a_sweep_ranks_what_is_right(self):
        log = self.folder / "log"
        listed = self.file("list", "blocked rows=16|32,depth=8|7  # two of them refused\n\ncpu rows=64,depth=8\ncpu rows=64,depth=8\n")
        done = self.run_script("sweep", "--vkmatmul", self.file("vkmatmul", WORKER, True), "--size", "64,128x64x64", "--type", "i8",
                               "--best", "2", "--log", str(log), listed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"\A5 configurations: 3 right, 0 wrong, 2 refused or lost, ")
        self.assertRegex(lines[1], r"2 left out, blocked rows=16,depth=7 for one: whole things")
        self.assertEqual([line.split()[3:] for line in lines if " % " in line], [["cpu", "rows=64,depth=8"], ["blocked", "rows=32,depth=8"]] * 2)
        self.assertEqual(sum("ms" in json.loads(line) for line in log.read_text().splitlines()), 2 * (3 + 2 * 5))

    def test_a_sweep_tells_of_wrong_products(self):
        done = self.run_script("sweep", "--vkmatmul", self.file("vkmatmul", WORKER, True), "--size", "64",
                               self.file("list", "blocked rows=16,depth=8|9|11\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG blocked rows=16,depth=9: wrong element", done.stderr)
        self.assertNotIn("depth=11", done.stderr)
        self.assertRegex(done.stdout, r"1 right, 1 wrong, 1 refused or lost[\s\S]*blocked rows=16,depth=11 for one: the process ended")

    def test_an_unknown_group(self):
        done = self.run_script("vs-cublas", "--cublas", self.file("cublas.py", CUBLAS), "--only", "cubes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown group cubes; groups are squares", done.stderr)

    def test_a_plot_has_a_curve_a_file(self):
        rows = [{"problem": {"m": n, "n": n, "k": n}, "gflops": speed} for n, speed in [(64, 1.5), (128, None), (256, 9)]]
        rows.append({"problem": {"m": 5, "n": 6, "k": 7}, "gflops": 1})
        data = self.file("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        peer = self.file("b.jsonl", json.dumps({"m": 64, "n": 64, "k": 64, "tflops": 0.004}) + "\n")
        gnuplot = self.file("gnuplot", "import sys\nopen(sys.argv[0] + '.in', 'w').write(sys.stdin.read())\n", True)
        done = self.run_script("plot-speed", "ours=" + data, peer, "-o", str(self.folder / "p.svg"), path=str(self.folder))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        script = pathlib.Path(gnuplot + ".in").read_text()
        self.assertIn("$c0 << EOD\n64 1.5\n256 9\nEOD", script)
        self.assertIn("$c1 << EOD\n64 4.0\nEOD", script)
        self.assertIn('title "ours"', script)
        self.assertIn('title "b"', script)

    def test_a_plot_of_nothing_or_without_gnuplot(self):
        data = self.file("a.jsonl", '{"problem": {"m": 4, "n": 4, "k": 4}, "gflops": null}\n')
        done = self.run_script("plot-speed", data, "-o", "p.svg", path="/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("gnuplot is not installed", done.stderr)
        self.file("gnuplot", "", True)
        done = self.run_script("plot-speed", data, "-o", "p.svg", path=str(self.folder))
        self.assertIn("has no verified square product", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_a_timeline_has_a_bar_a_step(self):
        panel = {"row": 0, "col": 0, "rows": 8, "cols": 16, "load_ms": [0, 1], "kernel_ms": [1, 4], "store_ms": [4, 5]}
        devices = [{"index": i, "name": f"<{i}>", "panels": 1 + i, "share": (1 + i) / 3, "wait_ms": 2, "failed": None, "timeline": [panel] * (1 + i)}
                   for i in range(2)]
        result = {"problem": {"m": 8, "n": 48, "k": 1, "type": "f32"}, "wall_ms": 5, "devices": devices}
        target = self.folder / "t.svg"
        done = self.run_script("plot-timeline", self.file("a.json", json.dumps(result) + "\n"), "-o", str(target))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        bars = [e for e in xml.etree.ElementTree.parse(target).getroot() if len(e)]
        self.assertEqual(len(bars), 3 * 3)
        self.assertEqual([[float(bars[i].get(key)) for key in ("x", "width")] for i in (0, 1, 2)], [[16, 145.6], [161.6, 436.8], [598.4, 145.6]])
        self.assertIn("1 &lt;1&gt;: 2 panels, 66.7 % of C, waited 2 ms<", target.read_text())
        result["devices"] = None
        done = self.run_script("plot-timeline", self.file("b.json", json.dumps(result) + "\n"), "-o", str(target))
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs one verified product", done.stderr)


unittest.main()
