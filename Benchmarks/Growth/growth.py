"""Measures how a server's speed changes as one thing grows, and draws it.

One thing at a time grows: devices, connections, readings in a body, days that are written at the
same time, rows that the day's partition has already, and the distance of the database. At each point a fleet that the server
knows sends as fast as it can, with new tables; that gives the rate of committed readings. Then it
sends half as many requests by the clock; that gives the p99, which counts from the time at which a
request was due.

It starts a private server in a directory of its own and removes it at the end. Results are
growth.json, growth.md and growth.png.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

KINDS = ["gps", "vital", "event"]
# What is not varied. A body of the usual size, from more connections than it takes to be busy.
DEVICES, CONNECTIONS, BATCH, DAYS = 1000, 256, 100, 1


class Server:
    """A private server; its cluster's write-ahead log has been used before. With `near`, it uses that
    server's cluster through the relay."""

    def __init__(self, binary, near=None):
        self.binary = binary
        self.directory = tempfile.mkdtemp(prefix="sluice-growth-")
        # Root's cluster runs as another user. If that user can't get here, the cluster is put
        # elsewhere and would stay there.
        os.chmod(self.directory, 0o755)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("SLUICE_") and name != "DATABASE_URL"
        } | {
            "INGEST_API_KEY": secrets.token_hex(8),
            "SLUICE_DATA_DIR": f"{self.directory}/data",
            "SLUICE_PORT": str(self.port),
        }
        self.relay = None
        if near:
            host, port = (word.split("=")[1] for word in near.database.split()[:2])
            relay = pathlib.Path(__file__).parents[1] / "Distance/relay.py"
            socket_name = f".s.PGSQL.{port}"
            self.relay = subprocess.Popen(
                [sys.executable, relay, f"{self.directory}/{socket_name}", f"{host}/{socket_name}"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            self.relay.stdout.readline()
            self.environment["DATABASE_URL"] = f"postgresql://sluice@/sluice?host={self.directory}&port={port}"
        self.log = open(f"{self.directory}/log", "w+")
        self.process = subprocess.Popen(
            [binary, "serve"], env=self.environment, stdout=self.log, stderr=self.log
        )
        try:
            self.wait()
            if near:
                self.database, self.version = near.database, near.version
                return
            lines = open(f"{self.directory}/data/postgres/data/postmaster.pid").read().split("\n")
            self.database = f"host={lines[4]} port={lines[3]} user=sluice dbname=sluice"
            self.version = self.sql("show server_version")
            for _ in range(64):
                self.sql("select pg_logical_emit_message(true, 'growth', '')")
                self.sql("select pg_switch_wal()")
        except BaseException:
            self.stop()
            raise

    def wait(self):
        for _ in range(1200):
            if self.process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2)
                return
            except OSError:
                time.sleep(0.1)
        self.log.seek(0)
        sys.exit("The server does not start. Its log:\n" + self.log.read()[-4000:])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(120)
        if self.relay:
            self.relay.stdin.close()
            self.relay.wait(10)
        self.log.close()
        shutil.rmtree(self.directory)

    def move(self, milliseconds):
        """Puts the database so far away, there and back."""
        self.relay.stdin.write(f"delay={milliseconds / 2000}\n")
        self.relay.stdin.flush()

    def sql(self, *statements):
        commands = [part for text in statements for part in ("-c", text)]
        run = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *commands, self.database],
            capture_output=True, text=True,
        )
        if run.returncode != 0:
            sys.exit(f"psql:\n{run.stderr}")
        return run.stdout.strip()

    def load(self, **options):
        """The result of `sluice load`."""
        words = []
        for name, value in options.items():
            words += [f"--{name.replace('_', '-')}", str(value)]
        run = subprocess.run(
            [self.binary, "load", f"http://127.0.0.1:{self.port}", "--quiet", "--json", "-", *words],
            env=self.environment, capture_output=True, text=True,
        )
        if run.returncode != 0:
            sys.exit(f"sluice load {' '.join(words)}:\n{run.stdout}{run.stderr}")
        return json.loads(run.stdout)

    def rows(self):
        return int(self.sql("select " + " + ".join(f"(select count(*) from sluice.{kind})" for kind in KINDS)))

    def clear(self):
        self.sql(
            "truncate sluice.gps, sluice.vital, sluice.event, sluice.device, sluice.device_state, "
            "sluice.quarantine, sluice.gps_rollup, sluice.vital_rollup, sluice.rollup_due",
            "checkpoint",
        )


def measure(
    server, seconds, devices=DEVICES, connections=CONNECTIONS, batch=BATCH, days=DAYS, rows=0, distance=None
):
    """One point: rate, latencies, and how many requests were refused on the way."""
    if distance is not None:
        server.move(distance)
    server.clear()
    # Two runs of one fleet, a day apart by its clock. A second fleet where both must write one day.
    seeds = [secrets.randbelow(10**9)] * 2
    if rows:
        seeds[1] += 1
    # Each device's clock is off by up to half of the days; the first run must not be in the future.
    start = days // 2 + 3
    fleet = {"devices": devices, "interval": 1}
    if days > 1:
        fleet["skew"] = days * 86400 // 2
    if rows:
        # All in one table, so that its partition is as large as it says.
        fleet["mix"] = "0/100"
    first = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=start + days // 2 + 1)
    server.sql(f"select sluice.ensure_days('{first}', current_date)")
    # The devices become known, with one reading each, days before what is measured.
    for seed in set(seeds):
        server.load(
            **fleet, seed=seed, days_ago=start, connections=256, batch=1, readings=devices, duration="10m"
        )
    # As in a fleet that has been known for long: no vacuum and no checkpoint is due.
    server.sql("vacuum (analyze) sluice.device, sluice.device_state", "checkpoint")
    if rows:
        day = f"{datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=start - 1)}"
        # In the second half of the day that the fleets begin. Each device has as many.
        server.sql(
            f"""
            insert into sluice.vital (device_key, t, code, val)
            select d.device_key, timestamptz '{day} 12:00Z' + n * interval '43199 s' / {rows // devices / 2},
                1, 80 + n % 40
            from generate_series(0, {rows // devices // 2} - 1) n, sluice.device_state d
            """,
            "vacuum (analyze) sluice.vital", "checkpoint",
        )
    before = server.rows()
    options = fleet | {"connections": connections, "batch": batch, "duration": f"{seconds}s", "timeout": "5m"}
    peak = server.load(**options, seed=seeds[0], days_ago=start - 1)
    half = server.load(
        **options, seed=seeds[1], days_ago=start - 1 if rows else start - 2,
        rate=max(peak["requests"]["succeeded"] / peak["seconds"] / 2, 1),
    )
    # Nothing counts unless the tables have what was acknowledged.
    promised = sum(run["readings"]["stored"] for run in (peak, half))
    spooled = sum(run["readings"]["spooled"] for run in (peak, half))
    stored = server.rows() - before
    if stored != promised and not promised <= stored <= promised + spooled:
        sys.exit(f"{stored} rows are stored, {promised} were acknowledged")
    return {
        "rows_per_second": peak["readings"]["stored"] / peak["seconds"],
        "requests_per_second": peak["requests"]["per_second"],
        "p50": half["latency"]["p50"],
        "p99": half["latency"]["p99"],
        "refused": sum(run["requests"]["failed"] for run in (peak, half)),
    }


def curves(rows_max):
    """Name, title and points: what is varied, and the arguments of `measure`."""
    return {
        "devices": ("devices", [(n, {"devices": n}) for n in (100, 1000, 10_000, 100_000, 1_000_000)]),
        "connections": ("connections", [(n, {"connections": n}) for n in (1, 8, 64, 512, 4096, 8000)]),
        # Fewer connections for larger bodies, so that what is under way has about the same size.
        "readings": (
            "readings in a body",
            [(n, {"batch": n, "connections": min(512, max(16, 64_000 // n))}) for n in (1, 10, 100, 1000, 10_000)],
        ),
        "days": ("days that are written at the same time", [(n, {"days": n}) for n in (1, 4, 20, 100, 400)]),
        "rows": (
            "rows in the day's partition",
            [(n, {"rows": n}) for n in (100_000, 1_000_000, 10_000_000, 100_000_000) if n <= rows_max],
        ),
        # From few connections, because many hide a distance.
        "distance": (
            "ms from the server to its database and back, 16 connections",
            [(n, {"distance": n, "connections": 16}) for n in (0, 0.2, 1, 2, 5)],
        ),
    }


def draw(result, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    blue, orange = "#1f6feb", "#d1570d"
    chosen = result["curves"]
    figure, axes = pyplot.subplots(len(chosen), 1, figsize=(8, 2.6 * len(chosen)), squeeze=False)
    for panel, curve in zip(axes[:, 0], chosen):
        x = [point["x"] for point in curve["points"]]
        panel.set_xscale("linear" if 0 in x else "log")
        panel.plot(x, [point["rows_per_second"] / 1000 for point in curve["points"]], "o-", color=blue)
        panel.set_ylim(0, 1.15 * max(point["rows_per_second"] / 1000 for point in curve["points"]))
        panel.set_ylabel("committed rows/s, thousands", color=blue)
        panel.set_xlabel(curve["title"])
        panel.grid(alpha=0.25)
        other = panel.twinx()
        other.plot(x, [point["p99"] for point in curve["points"]], "s--", color=orange)
        other.set_yscale("log")
        other.set_ylim(1, 1000)
        other.yaxis.set_major_formatter(pyplot.ScalarFormatter())
        other.set_ylabel("p99 at half the rate, ms", color=orange)
        panel.margins(x=0.03)
    figure.suptitle(f"Sluice {result['commit']}, {result['machine']}", fontsize=9)
    figure.tight_layout(rect=(0, 0, 1, 0.99))
    figure.savefig(path, dpi=110)


def table(result):
    lines = [f"Commit `{result['commit']}`, {result['date']} · {result['machine']}", ""]
    for curve in result["curves"]:
        lines += [
            f"| {curve['title']} | rows/s | requests/s | p50, ms | p99, ms | refused |",
            "|---|---|---|---|---|---|",
        ]
        for point in curve["points"]:
            lines.append(
                f"| {point['x']:,} | {point['rows_per_second']:,.0f} | {point['requests_per_second']:,.0f} "
                f"| {point['p50']:.1f} | {point['p99']:.1f} | {point['refused']:,} |"
            )
        lines.append("")
    return "\n".join(lines)


def machine(server):
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    else:
        name = platform.machine()
    return f"{name} · {os.cpu_count()} cores · Linux {platform.release()} · PostgreSQL {server.version}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default=".build/release/sluice", help="the server, built for release")
    parser.add_argument("--seconds", type=int, default=3, help="length of a run; each point has two (default: 3)")
    parser.add_argument("--only", action="append", choices=list(curves(0)), help="can be repeated")
    parser.add_argument("--rows-max", type=int, default=10_000_000, help="rows to begin with, at most (default: 10000000)")
    parser.add_argument("--results", default="Benchmarks/results", help="directory of the results")
    arguments = parser.parse_args()
    chosen = {name: curve for name, curve in curves(arguments.rows_max).items() if name in (arguments.only or curves(0))}
    here = pathlib.Path(__file__).parent
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=here, capture_output=True, text=True)
    server, far = Server(arguments.sluice), None
    result = {
        "commit": commit.stdout.strip() or "unknown",
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": machine(server),
        "seconds": arguments.seconds,
        "curves": [],
    }
    try:
        for name, (title, points) in chosen.items():
            curve = {"name": name, "title": title, "points": []}
            result["curves"].append(curve)
            if name == "distance":
                far = Server(arguments.sluice, near=server)
            for x, options in points:
                point = {"x": x} | measure(far if name == "distance" else server, arguments.seconds, **options)
                curve["points"].append(point)
                print(
                    f"{x:>12,} {title}: {point['rows_per_second']:>9,.0f} rows/s, p99 {point['p99']:.1f} ms",
                    flush=True,
                )
    finally:
        if far:
            far.stop()
        server.stop()
    results = pathlib.Path(arguments.results)
    results.mkdir(parents=True, exist_ok=True)
    (results / "growth.json").write_text(json.dumps(result, indent=1) + "\n")
    (results / "growth.md").write_text(table(result))
    draw(result, results / "growth.png")
    print(f"written to {results}/growth.json, .md and .png")


if __name__ == "__main__":
    main()
