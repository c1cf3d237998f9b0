"""Chromium for the tests: without a window, and cut off from every host but this machine.

Where it is not installed, tests that need it are skipped and say so. `.ci/run` sets COURSE_NEEDS_BROWSER, and then they fail.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

NEEDED = "COURSE_NEEDS_BROWSER"
HERE = ("127.0.0.1", "localhost")
# Root in a container may not use Chromium's own sandbox, and a container's /dev/shm is small.
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)
_AXE = files("selenium_axe_python").joinpath("axe-core/axe.min.js").read_text(encoding="utf-8")
# A chapter is long, and most of it looks like the rest of it. Of the words of code one of each colour on each ground stays, and of
# the formulas one of each kind, those that scroll, and those in tables, which may scroll with them. Contrast, which takes axe the
# longest, is measured on one text of each look.
_RUN_AXE = """
const done = arguments[0], seen = new Set(), texts = [];
const ground = (box) => {
    for (let at = box; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
};
const isNew = (look) => !seen.has(look) && seen.add(look);
const again = [...document.querySelectorAll(".highlight pre span")].filter(
    (word) => !word.textContent.trim() || !isNew("code" + getComputedStyle(word).color + ground(word)));
const scrolls = (box) => box && (scrolls(box.parentElement) ||
    (box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX)));
const alike = [...document.querySelectorAll("mjx-container")].filter((formula) =>
    !scrolls(formula) && !isNew("formula" + formula.parentElement.tagName));
for (const word of again) word.replaceWith(word.textContent);
for (const formula of alike) formula.remove();
for (const box of document.body.querySelectorAll("*")) {
    if (![...box.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(box);
    if (box.checkVisibility() && isNew([color, fontSize, fontWeight, ground(box)].join())) texts.push(box);
}
const ask = { resultTypes: ["violations"] };
(async () => [
    await axe.run({ ...ask, rules: { "color-contrast": { enabled: false }, "target-size": { enabled: true } } }),
    await axe.run({ include: texts }, { ...ask, runOnly: ["color-contrast"] }),
])().then((found) => done(found.flatMap((each) => each.violations)));
"""
_DRAWN = """
const done = arguments[0];
(window.MathJax?.startup?.promise ?? Promise.resolve()).then(() => done());
"""


class Browser:
    """One Chromium, and what it has asked for over the network."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def show(self, width: int, mode: str) -> None:
        """Be a screen of this width in pixels, whose owner prefers the light or the dark."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = [
            {"name": "prefers-color-scheme", "value": mode},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, address: str) -> None:
        """Open a page, and wait until its formulas are drawn."""
        self.driver.get(address)
        self.driver.execute_async_script(_DRAWN)

    def one(self, selector: str) -> WebElement:
        """The first element that is shown, as soon as there is one."""
        return self.until(lambda: next((found for found in self.all(selector) if found.is_displayed()), None), selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def until(self, condition: Any, what: str, seconds: int = 120) -> Any:
        """Wait for something to be true, and return it."""
        return WebDriverWait(self.driver, seconds, poll_frequency=0.1).until(lambda _: condition(), what)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def violations(self) -> list[str]:
        """What axe finds wrong with the page as it is now, but for what it calls minor."""
        self.run(_AXE)
        found = self.driver.execute_async_script(_RUN_AXE)
        return [
            f"{rule['id']}, {rule['impact']}: {node['target']} {node['failureSummary']}"
            for rule in found
            if rule["impact"] != "minor"
            for node in rule["nodes"]
        ]

    def asked_elsewhere(self) -> list[str]:
        """The addresses on other machines that pages have asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if urlsplit(url).scheme.startswith("http") and urlsplit(url).hostname not in HERE]


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium, or a skipped test where there is none, or a failed one where there has to be one."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if missing:
        reason = f"there is no {' and no '.join(missing)}: on Debian, apt install chromium chromium-driver"
        if os.environ.get(NEEDED):
            pytest.fail(f"{NEEDED} is set, and {reason}")
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ARGUMENTS:
        options.add_argument(argument)
    # A page that asks for another host is told at once that there is none; the log says that it asked.
    options.add_argument(f"--host-resolver-rules=MAP * ~NOTFOUND, {', '.join(f'EXCLUDE {name}' for name in HERE)}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.set_script_timeout(120)
        yield Browser(driver)
    finally:
        driver.quit()


def picture_page(html: str, folder: Path) -> str:
    """Write a page with one of the pictures that are driven by radio buttons; its address."""
    page = folder / "picture.html"
    head = (
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A picture</title></head>'
    )
    body = f"<main><h1>A picture</h1>{html}</main>"
    page.write_text(f'<!doctype html><html lang="en">{head}<body>{body}</body></html>', encoding="utf-8")
    return page.as_uri()


def tops_by_choice(browser: Browser) -> list[float]:
    """How far down the picture's drawing stands as each radio button is chosen in turn."""
    tops = []
    for chosen in browser.all("input"):
        chosen.click()
        tops.append(browser.run("return document.querySelector('svg').getBoundingClientRect().top"))
    return tops


@contextmanager
def jupyterlab(root: Path, browser: Browser, *options: str, **environment: str) -> Iterator[str]:
    """The address of a JupyterLab without a password in a folder, with no setting of anybody else's.

    Args:
        root: The folder; settings and the log go beside it.
        browser: Waits for the server.
        options: More of the command's options.
        environment: More of the server's environment.
    """
    with socket.socket() as free:
        free.bind((HERE[0], 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyter", "lab", "--allow-root", "--no-browser", f"--ServerApp.root_dir={root}"]
    command += [f"--ServerApp.ip={HERE[0]}", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    command += ["--IdentityProvider.token=", *options]
    settings = root.parent
    places = [*(f"JUPYTER_{kind}_DIR" for kind in ("CONFIG", "DATA", "RUNTIME")), "IPYTHONDIR"]
    own = {name: str(settings / name) for name in places}
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    address, log = f"http://{HERE[0]}:{port}", settings / "server.log"
    with (
        log.open("w") as said,
        subprocess.Popen(
            command, cwd=root, env={**os.environ, **own, **environment}, stdout=said, stderr=subprocess.STDOUT
        ) as server,
    ):
        try:
            browser.until(lambda: _answers(address, server), "JupyterLab's server")
            assert server.poll() is None, log.read_text()
            yield address
        finally:
            server.terminate()


def _answers(address: str, server: subprocess.Popen[bytes]) -> bool:
    """Whether the server answers, or has ended."""
    try:
        with urlopen(f"{address}/api"):
            return True
    except URLError:
        return server.poll() is not None


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: pytest would show a line for every file."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder at an address of this machine."""
    with ThreadingHTTPServer((HERE[0], 0), partial(_Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{HERE[0]}:{server.server_port}"
        server.shutdown()
