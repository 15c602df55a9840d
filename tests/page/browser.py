"""Headless Chromium for the page's tests: W3C WebDriver to chromedriver over loopback HTTP, with Python's standard library alone."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

DRIVERS = ["chromedriver", "/usr/lib/chromium/chromedriver", "/usr/lib/chromium-browser/chromedriver"]
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"End": "\ue010", "Home": "\ue011", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Shift": "\ue008", "Tab": "\ue004",
        "Enter": "\ue007"}
ARGUMENTS = ["--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"]


def found(names):
    return next(filter(None, map(shutil.which, names)), None)


def require():
    """Ends the process where there is no Chromium: a skip, or with VKMM_REQUIRE_CHROMIUM=1 a failure."""
    if found(DRIVERS) and found(BROWSERS):
        return
    print("no Chromium with its chromedriver here; scripts/setup --ci installs both", file=sys.stderr)
    sys.exit(1 if os.environ.get("VKMM_REQUIRE_CHROMIUM") == "1" else 77)


class Browser:
    """One Chromium with one window. close() ends it."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="vkmatmul-chromium-")
        # A home of its own: Chromium writes more than its profile.
        home = dict(os.environ, HOME=self.profile, XDG_CONFIG_HOME=self.profile, XDG_CACHE_HOME=self.profile)
        home.pop("LD_PRELOAD", None)
        self.driver = subprocess.Popen([found(DRIVERS), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=home,
                                       start_new_session=True)
        self.http = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.base = None
        try:
            for line in self.driver.stdout:
                if "successfully on port" in line:
                    self.base = "http://127.0.0.1:%d" % int(line.rstrip(".\n").split()[-1])
                    break
            root = ["--no-sandbox"] if os.geteuid() == 0 else []
            options = {"binary": found(BROWSERS), "args": ARGUMENTS + root + ["--user-data-dir=" + self.profile + "/profile"]}
            session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.base += "/session/" + session["sessionId"]
        except BaseException:
            self.close()
            raise

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.http.open(request, timeout=600) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors="replace")[:500]) from None

    def close(self):
        try:
            if self.base and "/session/" in self.base:
                self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass
        finally:
            try:
                os.killpg(self.driver.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.driver.wait()
            self.driver.stdout.close()
            shutil.rmtree(self.profile, ignore_errors=True)

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path):
        self.call("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri()})

    def look(self, scheme="light", width=1280, height=900, media="", scale=1, motion="reduce"):
        """How the page is shown: colour scheme, window in CSS pixels, "print" or "", motion "reduce" or "no-preference"."""
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme},
                                                                      {"name": "prefers-reduced-motion", "value": motion}])
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)

    def js(self, script, *args):
        """The value of a JavaScript expression; its arguments are a[0], a[1], …"""
        return self.call("POST", "/execute/sync", {"script": f"const a = arguments; return ({script});", "args": list(args)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def point(self, x, y):
        """Moves the pointer to a place in the window."""
        move = {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def wait(self, condition, *args):
        """Until a JavaScript expression is true."""
        deadline = time.monotonic() + 600  # to detect hangs
        while not self.js(condition, *args):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never true: {condition}")
            time.sleep(0.02)

    def text(self, selector):
        return self.call("GET", f"/element/{self.find(selector)}/text")

    def key(self, name, *held):
        """Presses a key where the focus is, as a keyboard does, with others held down."""
        press = [{"type": "keyDown", "value": KEYS[key]} for key in (*held, name)]
        release = [{"type": "keyUp", "value": KEYS[key]} for key in (name, *reversed(held))]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": press + release}]})

    def axtree(self):
        """The accessibility tree as (role, name) pairs: what a screen reader gets."""
        nodes = self.cdp("Accessibility.getFullAXTree")["nodes"]
        return [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "").strip()) for node in nodes if not node.get("ignored")]

    def problems(self):
        """What the console holds since the last call: errors, and refusals by the content security policy."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] in ("SEVERE", "WARNING")]
