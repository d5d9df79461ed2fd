"""A headless browser, controlled over its debugging socket."""

import asyncio
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import requests
import websockets

from client import LIMIT, same

# A page of the server's own origin: it draws pictures and sends them as an app would.
SCRIPT = """
(async () => {
    const canvas = document.createElement("canvas");
    canvas.width = 40; canvas.height = 30;
    canvas.getContext("2d").fillRect(5, 5, 20, 20);
    const blob = type => new Promise(done => canvas.toBlob(done, type));
    const form = new FormData();
    form.append("mood", "fröhlich \\u{1F389}");
    form.append("note", "a\\nb");
    form.append("tags", "x,y");
    for (const type of ["image/jpeg", "image/png", "image/webp"])
        form.append("file", await blob(type), 'n\\u00e4me "' + type + '"');
    form.append("image", new File([], ""));
    const answer = await fetch("/api/users/user/kim/moods/swift", {method: "POST", body: form});
    const made = await answer.json();
    const sizes = [];
    for (const url of made.imageUrls) {
        const picture = new Image();
        picture.src = url;
        await picture.decode();
        sizes.push([picture.naturalWidth, picture.naturalHeight]);
    }
    return JSON.stringify({status: answer.status, made, sizes});
})()
"""


async def browser(url):
    """A browser's form is stored, and a page shows its pictures again."""
    program = shutil.which("chromium")
    # Its helper processes may write for a moment after they were killed.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        process = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-port=0",
                f"--user-data-dir={directory}",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            told = await evaluate(url, pathlib.Path(directory) / "DevToolsActivePort")
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(LIMIT)
    same(told["status"], 200)
    same(told["sizes"], [[40, 30]] * 3)
    mood = told["made"]["mood"]
    same((mood["mood"], mood["tags"]), ("fröhlich 🎉", ["x", "y"]))
    same(mood["note"], "a\r\nb")
    same(told["made"]["errors"], None)
    same([file["type"] for file in mood["files"]], ["image/jpeg", "image/png", "image/webp"])


async def evaluate(url, port_file):
    for _ in range(200):
        if port_file.exists() and port_file.read_text().count("\n"):
            break
        await asyncio.sleep(0.1)
    port = port_file.read_text().split("\n")[0]
    pages = requests.get(f"http://127.0.0.1:{port}/json", timeout=LIMIT).json()
    page = next(one for one in pages if one["type"] == "page")
    async with websockets.connect(page["webSocketDebuggerUrl"], max_size=None) as debugger:

        async def ask(number, method, **parameters):
            await debugger.send(json.dumps({"id": number, "method": method, "params": parameters}))
            while True:
                answer = json.loads(await asyncio.wait_for(debugger.recv(), LIMIT))
                if answer.get("id") == number:
                    return answer

        await ask(1, "Page.enable")
        await ask(2, "Page.navigate", url=url + "/health")
        number, place = 2, None
        async with asyncio.timeout(LIMIT):
            while place != "/health complete":
                number += 1
                await asyncio.sleep(0.05)
                answer = await ask(
                    number,
                    "Runtime.evaluate",
                    expression="location.pathname + ' ' + document.readyState",
                )
                place = answer["result"]["result"]["value"]
        answer = await ask(
            number + 1, "Runtime.evaluate", expression=SCRIPT, awaitPromise=True, returnByValue=True
        )
        assert "value" in answer["result"].get("result", {}), answer
        return json.loads(answer["result"]["result"]["value"])
