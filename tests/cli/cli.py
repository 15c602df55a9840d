"""What the tests of the program share: running it, and .npy files without NumPy.

Each test is a script: SCRIPT PROGRAM [unittest arguments]. The Vulkan driver comes from the environment (tests/with-driver)."""
import ast
import csv
import fcntl
import functools
import io
import json
import os
import pathlib
import pty
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import time
import unittest

GUARD = 600  # seconds after which something hangs; what a test finds never depends on time
FAST = ["--iters", "1", "--cold-iters", "0"]
WAITING = {"bench", "compare", "doctor", "record", "statistics", "tune"}  # start processes that must answer in time: never with a fast clock
CODES = {"<f4": "f", "<f8": "d", "<i4": "i", "<u4": "I", "<f2": "e", "|i1": "b", "|u1": "B", "<i8": "q", "<u8": "Q"}
TENSOR_CODES = {"F16": "e", "BF16": "H", "F32": "f", "F64": "d", "I8": "b", "U8": "B", "I32": "i", "U32": "I", "I64": "q", "U64": "Q", "F8_E4M3": "B", "F8_E5M2": "B"}
NO_DRIVER = dict.fromkeys(["VK_DRIVER_FILES", "VK_ICD_FILENAMES"], "/nonexistent/icd.json")
ROOT = pathlib.Path(__file__).resolve().parents[2]
program = None
# Tests of the Windows program under Wine that it cannot pass, by script, and why. tests/cli/under-wine names the script.
NOT_UNDER_WINE = {
    "input Words.test_full_disk": "Windows has no /dev/full",
    "input Words.test_no_driver": "Wine keeps the loader's variables from the program",
    "input Words.test_not_a_driver": "the library that its manifest names is no DLL",
    "input Words.test_swiftshader_by_name": "Wine keeps the loader's variables from the program",
    "input Words.test_empty_and_hostile_words": "as many starts under Wine take too long; no word is special to Windows",
    "input Files.test_no_room": "Wine itself ends by the limit on the size of files",
}


def environment(*args):
    """For a process with these arguments: UTF-8, and the fast clock where the test has it."""
    settings = dict(os.environ, LC_ALL="C.UTF-8")
    if "VKMM_TEST_FAST_CLOCK" in settings and not WAITING.intersection(map(str, args[:1])):
        settings["LD_PRELOAD"] = ":".join(filter(None, [settings.get("LD_PRELOAD"), settings["VKMM_TEST_FAST_CLOCK"]]))
    if args[:1] == ("peak",):  # runs more than it compiles
        settings.pop("GALLIVM_PERF", None)
    return settings


def run(*args, env=None, **more):
    """The finished process, with text output. UTF-8 unless env says otherwise."""
    settings = dict(environment(*args), **(env or {}))
    return subprocess.run([program, *map(str, args)], stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE,
                          text=True, encoding="utf-8", errors="surrogateescape", env=settings, timeout=GUARD, **more)


def wait_until(has_come, process=None):
    """Until an event has come, before which the process must not end."""
    end = time.monotonic() + GUARD
    while not has_come():
        assert process is None or process.poll() is None, "it ended too early"
        assert time.monotonic() < end, "it hangs"
        time.sleep(0.005)


def catches(process, number):
    """Whether a process has a handler of its own for a signal."""
    status = pathlib.Path("/proc/%d/status" % process.pid).read_text()
    return int(re.search(r"(?m)^SigCgt:\s*([0-9a-f]+)", status)[1], 16) >> (number - 1) & 1


def on_terminal(*args, env=None, columns=80, **more):
    """What the program ends with, and what it writes to a terminal; `stdout` may be elsewhere."""
    terminal, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen([program, *map(str, args)], stdin=subprocess.DEVNULL, stdout=more.get("stdout", other), stderr=other,
                               env=dict(environment(*args), **(env or {})))
    os.close(other)
    text = b""
    while True:
        try:
            text += os.read(terminal, 65536)
        except OSError:  # Linux's end of a terminal
            break
    os.close(terminal)
    return process.wait(GUARD), text.decode()


def stop(process):
    """Whether a process could be stopped, and had not ended before. SIGCONT lets it go on."""
    process.send_signal(signal.SIGSTOP)
    if process.returncode is None:
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return process.poll() is None


def stop_when(has_come, process):
    """Stops a process in the middle of something, and SIGCONT lets it go on. False when that was over too soon; it has ended then."""
    end = time.monotonic() + GUARD
    while not has_come():
        if process.poll() is not None:
            return False
        assert time.monotonic() < end, "it hangs"
    if stop(process) and has_come():
        return True
    process.send_signal(signal.SIGCONT)
    process.wait(GUARD)
    return False


def strict(text):
    """JSON without NaN and infinity, which Python would take."""
    def refuse(word):
        raise ValueError(word + " is no JSON")
    return json.loads(text, parse_constant=refuse)


def table(text):
    """The rows of a CSV text, each a dictionary of as many fields as there are titles."""
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert all(None not in row and None not in row.values() for row in rows), text
    return rows


@functools.cache
def devices():
    """What the program says of the devices at hand."""
    return json.loads(run("devices", "--json").stdout)["devices"]


def measured():
    """What a process that measures says of the device at hand, and how it begins a product: what scripts that play one repeat."""
    requests = [{"ask": "hello"}, {"ask": "begin", "id": 1, "problem": {"m": 16, "n": 16, "k": 16, "type": "f32"}, "kernel": "auto", "seed": "1"}]
    done = run("bench-worker", "--device", "0", input="".join(json.dumps(request) + "\n" for request in requests))
    return map(json.loads, done.stdout.splitlines())


def npy_bytes(rows, dtype="<f4", fortran=False, version=1, shape=None):
    """A matrix, a list of rows, as the bytes of a .npy file."""
    shape = shape or (len(rows), len(rows[0]) if rows else 0)
    header = repr({"descr": dtype, "fortran_order": fortran, "shape": shape}).encode("latin1")
    length = "<H" if version == 1 else "<I"
    prefix = 8 + struct.calcsize(length)
    header += b" " * (-(prefix + len(header) + 1) % 64) + b"\n"
    order = zip(*rows) if fortran else rows
    code = CODES.get(dtype, "f")
    data = b"".join(struct.pack("<%d%s" % (len(r), code), *r) for r in order)
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(length, len(header)) + header + data


def read_npy(path):
    """(dtype, rows) of a version 1.0 file in C order; of three dimensions, (dtype, [rows, ...])."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:end].decode("latin1"))
    *outer, rows, cols = header["shape"]
    assert not header["fortran_order"]
    count = outer[0] if outer else 1
    values = struct.unpack("<%d%s" % (count * rows * cols, CODES[header["descr"]]), data[end:])
    lines = [list(values[i * cols:(i + 1) * cols]) for i in range(count * rows)]
    return header["descr"], [lines[i * rows:(i + 1) * rows] for i in range(count)] if outer else lines


def bf16(value):
    """The bits of a number that bf16 has exactly."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    assert bits & 0xffff == 0, value
    return bits >> 16


def from_bf16(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def safetensors_bytes(tensors, metadata=None, padding=0):
    """{name: (dtype, shape, numbers)}, BF16's being bits, as the bytes of a safetensors file."""
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, (dtype, shape, numbers) in tensors.items():
        piece = struct.pack("<%d%s" % (len(numbers), TENSOR_CODES.get(dtype, "B")), *numbers)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode() + b" " * padding
    return struct.pack("<Q", len(text)) + text + data


GGML = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q5_0": 6, "Q5_1": 7, "Q8_0": 8, "Q2_K": 10, "Q4_K": 12, "Q5_K": 13, "Q6_K": 14, "I8": 24, "I32": 26, "I64": 27, "F64": 28, "BF16": 30, "MXFP4": 39, "NVFP4": 40}


def gguf_bytes(tensors, pairs=(), version=3, alignment=32):
    """[(name, type, extents as ggml has them, bytes)] and encoded metadata as the bytes of a GGUF file."""
    header = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs)) + b"".join(pairs)
    data = b""
    for name, kind, extents, piece in tensors:
        data += b"\0" * (-len(data) % alignment)
        header += gguf_text(name) + struct.pack("<I%dQIQ" % len(extents), len(extents), *extents, GGML.get(kind, kind), len(data))
        data += piece
    return header + b"\0" * (-len(header) % alignment) + data


def gguf_text(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def gguf_pair(key, kind, value):
    return gguf_text(key) + struct.pack("<I", kind) + value


def read_safetensors(path):
    """{name: (dtype, shape, numbers)}."""
    data = pathlib.Path(path).read_bytes()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    read = {}
    for name, about in json.loads(data[8:end]).items():
        begin, stop = about["data_offsets"]
        code = TENSOR_CODES[about["dtype"]]
        piece = data[end + begin:end + stop]
        numbers = struct.unpack("<%d%s" % (len(piece) // struct.calcsize(code), code), piece)
        read[name] = (about["dtype"], about["shape"], list(numbers))
    return read


def product(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def files_end_at(most):
    """For preexec_fn: a file has so many bytes at most, and more are an error and no signal."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        why = NOT_UNDER_WINE.get("%s %s" % (os.environ.get("VKMM_UNDER_WINE"), ".".join(self.id().split(".")[-2:])))
        if why:
            self.skipTest(why)
        folder = tempfile.TemporaryDirectory(prefix="vkmatmul-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def script(self, text, name="worker"):
        """An executable file. Its first line says by what, or Python runs it."""
        path = self.file(name, (text if text.startswith("#!") else "#!%s\n%s" % (sys.executable, textwrap.dedent(text))).encode())
        path.chmod(0o755)
        return path

    def both_drivers(self):
        """Variables with which the loader finds lavapipe, which the test must run on, and SwiftShader."""
        files = [os.environ["VK_DRIVER_FILES"], "/usr/lib/chromium/vk_swiftshader_icd.json"]
        if not all(map(os.path.exists, files)):
            self.skipTest("needs both drivers")
        return {"VK_DRIVER_FILES": ":".join(files), "VK_ICD_FILENAMES": ":".join(files)}

    def layered(self, layer, name):
        """Variables with which every driver has this layer, a library that calls itself by the name."""
        folder = self.folder / "layers"
        folder.mkdir()
        about = {"name": "VK_LAYER_VKMATMUL_test_" + name, "type": "INSTANCE", "library_path": layer, "api_version": "1.3.0",
                 "implementation_version": "1", "description": "for a test"}
        (folder / "layer.json").write_text(json.dumps({"file_format_version": "1.2.0", "layer": about}))
        return {"VK_LAYER_PATH": str(folder), "VK_INSTANCE_LAYERS": about["name"]}

    def good(self, *args, **more):
        """Runs the program; it must succeed without a word on stderr. Returns stdout."""
        done = run(*args, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), " ".join(map(str, args)))
        return done.stdout

    def bad(self, code, pattern, *args, **more):
        """Runs the program; it must fail with this code, nothing on stdout, and one sentence that matches the pattern."""
        done = run(*args, **more)
        line = " ".join(map(str, args))
        self.assertEqual(done.returncode, code, line + "\n" + done.stderr)
        self.assertEqual(done.stdout or "", "", line)
        self.assertRegex(done.stderr, r"\Avkmatmul: [^\n]*\n\Z", line)
        self.assertRegex(done.stderr, pattern, line)


def main():
    global program
    program = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__", verbosity=1)
