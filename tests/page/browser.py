"""Headless Chromium for the page's tests, driven by Selenium."""
import os
import pathlib
import shutil
import sys
import tempfile

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.wait import WebDriverWait
except ImportError:
    webdriver = None

DRIVERS = ["chromedriver", "/usr/lib/chromium/chromedriver", "/usr/lib/chromium-browser/chromedriver"]
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
ARGUMENTS = ["--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"]


def found(names):
    return next(filter(None, map(shutil.which, names)), None)


def require():
    """Ends the process where there is no Chromium: a skip, or with VKMM_REQUIRE_CHROMIUM=1 a failure."""
    if webdriver and found(DRIVERS) and found(BROWSERS):
        return
    print("no Chromium with its chromedriver and Python's selenium here; scripts/setup --ci installs them", file=sys.stderr)
    sys.exit(1 if os.environ.get("VKMM_REQUIRE_CHROMIUM") == "1" else 77)


class Browser:
    """One Chromium with one window. close() ends it."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(prefix="vkmatmul-chromium-")  # Chromium writes more than its profile
        env = dict(os.environ, HOME=self.home.name, XDG_CONFIG_HOME=self.home.name, XDG_CACHE_HOME=self.home.name)
        env.pop("LD_PRELOAD", None)
        os.environ["no_proxy"] = "localhost,127.0.0.1"
        options = webdriver.ChromeOptions()
        options.binary_location = found(BROWSERS)
        for argument in ARGUMENTS + (["--no-sandbox"] if os.geteuid() == 0 else []):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(found(DRIVERS), env=env), options=options)

    def close(self):
        self.driver.quit()
        self.home.cleanup()

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def open(self, path):
        self.driver.get(pathlib.Path(path).resolve().as_uri())

    def look(self, scheme="light", width=1280, height=900, media="", scale=1, motion="reduce"):
        """How the page is shown: colour scheme, window in CSS pixels, "print" or "", motion "reduce" or "no-preference"."""
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme},
                                                                      {"name": "prefers-reduced-motion", "value": motion}])
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)

    def js(self, script, *args):
        """The value of a JavaScript expression; its arguments are a[0], a[1], …"""
        return self.driver.execute_script(f"const a = arguments; return ({script});", *args)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        self.find(selector).click()

    def text(self, selector):
        return self.find(selector).text

    def point(self, x, y):
        """Moves the pointer to a place in the window."""
        actions = ActionBuilder(self.driver, duration=0)
        actions.pointer_action.move_to_location(round(x), round(y))
        actions.perform()

    def wait(self, condition, *args):
        """Until a JavaScript expression is true; it is given up after ten minutes."""
        WebDriverWait(self.driver, 600, 0.02).until(lambda _: self.js(condition, *args), f"never true: {condition}")

    def key(self, name, *held):
        """Presses a key where the focus is, as a keyboard does, with others held down."""
        chain = ActionChains(self.driver, duration=0)
        for key in (*held, name):
            chain.key_down(getattr(Keys, key.upper()))
        for key in (name, *reversed(held)):
            chain.key_up(getattr(Keys, key.upper()))
        chain.perform()

    def axtree(self):
        """The accessibility tree as (role, name) pairs: what a screen reader gets."""
        nodes = self.cdp("Accessibility.getFullAXTree")["nodes"]
        return [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "").strip()) for node in nodes if not node.get("ignored")]

    def problems(self):
        """What the console holds since the last call: errors, and refusals by the content security policy."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
