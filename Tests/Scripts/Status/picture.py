#!/usr/bin/env python3
"""Takes the picture of the status page that README shows, deploy/status.png: a server, a load at half of what
two cores take, and headless Chromium, a minute long.

usage: SLUICE_BINARY=BINARY PYTHONPATH=Tests/Scripts/Support .build-python/bin/python Tests/Scripts/Status/picture.py
  BINARY    the sluice of a release build, .build/release/sluice by default: the page shows its version and speed
"""

import base64
import pathlib
import tempfile
import time

import browser
from programs import BINARY, DEPLOY, Program
from sluice import Sluice

LOAD = ["--rate", "1500", "--connections", "32", "--duration", "75s", "--quiet"]
# The whole page is longer; README shows its head.
WIDTH, HEIGHT, SCALE = 1200, 1100, 0.75


def main():
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        place.chmod(0o755)  # PostgreSQL's user enters it
        with Sluice(place / "sluice") as server, browser.running(place) as chromium:
            load = Program(
                [BINARY, "load", server.url, "--key", server.KEY, *LOAD], place / "load.log", server.settings)
            page = browser.Page(chromium)
            page.look(WIDTH, HEIGHT, scale=SCALE)
            page.tell("Emulation.setScrollbarsHidden", hidden=True)
            page.go(server.url + "/status")
            page.until("document.getElementById('key')")
            page.run("document.getElementById('key').focus()")
            page.type(server.APP_KEY)
            page.press("Enter", 13, "\r")
            end = time.monotonic() + 62
            while time.monotonic() < end:
                page.run("1")  # reads what the browser tells, so that it does not wait for us
                time.sleep(1)
            picture = page.tell("Page.captureScreenshot", format="png")
            (DEPLOY / "status.png").write_bytes(base64.b64decode(picture["data"]))
            page.close()
            assert load.process.wait(60) == 0, load.text


main()
