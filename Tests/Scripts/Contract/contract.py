"""Schemathesis against a server with its own PostgreSQL."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

from sluice import Sluice

CONFIGURATION = pathlib.Path(__file__).with_name("schemathesis.toml")


def explore(server, seconds, seed, directory):
    """Whether all answers were correct."""
    command = [
        "schemathesis", "--config-file", CONFIGURATION, "run", server.url + "/openapi.json",
        "--max-time", str(seconds), "--seed", str(seed)]
    try:
        return subprocess.run(
            command, cwd=directory, env=os.environ | {
                "CONTRACT_KEY": server.KEY, "SCHEMATHESIS_HOOKS": "hooks",
                "PYTHONPATH": f"{CONFIGURATION.parent}:{os.environ.get('PYTHONPATH', '')}"},
            timeout=3 * seconds + 60).returncode == 0
    except subprocess.TimeoutExpired:
        print(f"schemathesis has no end after {3 * seconds + 60} s", file=sys.stderr)
        return False


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    wanted = os.environ.get("SLUICE_CONTRACT_SEED", "1")
    seed = random.randrange(1 << 16) if wanted == "random" else int(wanted)
    print(f"seed {seed}", flush=True)
    # Terminating this script also stops the server.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory).chmod(0o755)
        settings = {"SLUICE_APP_KEYS": Sluice.KEY}
        with Sluice(pathlib.Path(directory) / "sluice", settings=settings) as server:
            is_right = explore(server, seconds, seed, directory)
            if not server.is_running:
                print("the server has ended", file=sys.stderr)
                is_right = False
            if not is_right:
                print(server.program.text, file=sys.stderr)
    sys.exit(not is_right)


main()
