#!/usr/bin/env python3
"""Makes mutants of the core, and says which of them no test notices.

    Tests/Mutation/mutate.py [--sample N] [--seed S] [--files GLOB] [--minutes M]

A mutant is one change of one place: a comparison flipped or its boundary shifted, `&&` for `||`,
`+` for `-`, a number plus one, a condition negated, a statement left out that is only a call. All
of a sample are compiled into one build, each behind a switch that reads an environment variable
(sites.py); those that do not compile are dropped. The build is in a copy of the tree,
`.build-mutants/tree`, with only the modules that the tests of the core need.

Only the tests that look at the chosen parts are built. First the suites run without a mutant, and
tell which mutants each of them reaches. Then, for each mutant, the suites that reach it, those of its
own module first, until the first failure. A crash or a hang is a failure, too. A mutant that no suite
reaches is a survivor without a run. With `--nearest`, only the own modules are built and run: those
of the scanner and the spool need no PostgreSQL.

Verdicts are kept in `.build-mutants/verdicts.json`: a run that `--minutes` has ended goes on when it
is started again with the same seed and sample. `--again` runs only the survivors, for tests that
were added since.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import sites

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build-mutants"
COPY = WORK / "tree"
HERE = "Tests/Mutation"

# The parts of the core: their module, their folder, and the suites that look at them, nearest first.
PARTS = {
    "Scanner": ("Scanner", "Sources/Core/Scanner",
                ["ScannerTests", "ScannerDatabaseTests", "IngestTests"]),
    "SpoolLog": ("SpoolLog", "Sources/Core/SpoolLog",
                 ["SpoolLogTests", "SimulationTests", "IngestTests"]),
    "Failover": ("Ingest", "Sources/Core/Ingest/Unreplicated",
                 ["IngestTests", "SimulationTests", "PostgresTests"]),
    "Epochs": ("Postgres", "Sources/Core/Postgres/Epochs",
               ["PostgresTests", "IngestTests", "SimulationTests"]),
    "Ingest": ("Ingest", "Sources/Core/Ingest",
               ["IngestTests", "SimulationTests"]),
}
TESTS = ["ScannerTests", "ScannerDatabaseTests", "SpoolLogTests", "SimulationTests", "IngestTests",
         "PostgresTests"]
# Suites of these modules that say nothing of the core: of the oracle, of PostgreSQL's sessions.
LEFT_OUT = re.compile(
    r"SimulationTests\.(Sabotage|Repetition)Tests|PostgresTests\.(?!Epoch|StandbyWait)")
MEMORY_MAX = 4 << 30  # bytes; a mutant that fills the memory is caught
SUITE_LIMIT = 30  # seconds beyond three times what a suite took without a mutant


def note(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


# MARK: The copy

def tracked():
    output = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True,
        capture_output=True, text=True).stdout
    return [name for name in output.split("\0") if name and (ROOT / name).is_file()]


def write(path, data):
    """Unchanged files keep their time, so that only what changed is compiled."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def fill_copy(mutants, texts):
    of_file = {}
    for mutant in mutants:
        of_file.setdefault(mutant.file, []).append(mutant)
    wanted = set()
    for name in tracked():
        data = (ROOT / name).read_bytes()
        if name in of_file:
            data = sites.rewrite(texts[name], of_file[name]).encode()
        if name == "Package.swift":
            modules = sorted({module for module, _, _ in PARTS.values()})
            call = f"keepWhatMutantsNeed(mutated: {json.dumps(modules)}, tests: {json.dumps(TESTS)})\n"
            data += b"\n" + (ROOT / HERE / "manifest.swift").read_bytes() + call.encode()
        write(COPY / name, data)
        wanted.add(name)
    folders = {module: folder for module, folder, _ in reversed(PARTS.values())}
    folders["Ingest"] = "Sources/Core/Ingest"
    folders["Postgres"] = "Sources/Core/Postgres"
    for module, folder in folders.items():
        own = [mutant for mutant in mutants if mutant.file.startswith(folder + "/")]
        name = f"{folder}/MutantSwitches.swift"
        write(COPY / name, sites.declarations(own, texts).encode())
        wanted.add(name)
    for folder in ("Sources", "Tests", "sql"):
        for path in (COPY / folder).rglob("*.swift"):
            if str(path.relative_to(COPY)) not in wanted:
                path.unlink()
    if not (COPY / ".build").exists():
        (COPY / ".build").mkdir(parents=True)
        for name in ("checkouts", "repositories", "workspace-state.json"):
            if (ROOT / ".build" / name).exists():
                subprocess.run(["cp", "-a", ROOT / ".build" / name, COPY / ".build"], check=True)
        if (ROOT / "Package.resolved").exists():
            shutil.copy(ROOT / "Package.resolved", COPY)


# MARK: The mutants

def choose(sample, seed, files):
    """A sample with as many of each part, and of each kind, as there are: each file and each kind
    of change has the same chance."""
    dice = random.Random(seed)
    texts, chosen = {}, []
    names = [name for name in tracked() if name.endswith(".swift") and fnmatch.fnmatch(name, files)]
    pools = {}
    for name in names:
        part = next((part for part, (_, folder, _) in PARTS.items() if name.startswith(folder + "/")), None)
        if part is None:
            continue
        texts[name] = (ROOT / name).read_text()
        for mutant in sites.Sites(name, texts[name]).mutants:
            pool = "Failover" if part == "Epochs" else part
            pools.setdefault(pool, {}).setdefault((mutant.kind, name), []).append(mutant)
    places = set()
    while pools and len(chosen) < sample:
        for part in sorted(pools):
            pool = pools[part]
            kind = dice.choice(sorted({kind for kind, _ in pool}))
            key = dice.choice(sorted(key for key in pool if key[0] == kind))
            mutant = pool[key].pop(dice.randrange(len(pool[key])))
            if not pool[key]:
                del pool[key]
            if not pool:
                del pools[part]
            place = (mutant.file, mutant.start, mutant.end)
            if place not in places and len(chosen) < sample:
                places.add(place)
                mutant.number = len(chosen)
                chosen.append(mutant)
    return chosen, texts


def part_of(mutant):
    return next(part for part, (_, folder, _) in PARTS.items() if mutant.file.startswith(folder + "/"))


def build(mutants, texts):
    """Builds the tests with all mutants that compile, and returns these."""
    environment = {k: v for k, v in os.environ.items() if k != "SLUICE_WARNINGS_AS_ERRORS"}
    kept_path = WORK / "dropped.json"
    dropped = set(json.loads(kept_path.read_text())) if kept_path.exists() else set()
    while True:
        mutants = [mutant for mutant in mutants if mutant.key not in dropped]
        fill_copy(mutants, texts)
        note(f"building with {len(mutants)} mutants")
        done = subprocess.run(
            ["swift", "build", "--build-tests", "--no-color-diagnostics"], cwd=COPY, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        (WORK / "build.log").write_text(done.stdout)
        if done.returncode == 0:
            return mutants
        places = set(re.findall(r"^(/[^\n:]+):(\d+):\d+: error:", done.stdout, re.M))
        lines = {(os.path.relpath(path, COPY), int(line)) for path, line in places}
        faulty = set()
        for file, line in lines:
            own = [mutant for mutant in mutants if mutant.file == file and mutant.line <= line]
            there = [mutant for mutant in own if line <= mutant.line_end]
            # A function without its result is reported at its last line.
            last = max((mutant.line for mutant in own), default=0)
            faulty |= {mutant.key for mutant in there or own if there or mutant.line == last}
        if not faulty:
            sys.exit(f"the copy does not build: {WORK / 'build.log'}")
        note(f"  {len(faulty)} do not compile")
        dropped |= faulty
        kept_path.write_text(json.dumps(sorted(dropped)))


# MARK: The suites

running = set()


def stop(*_):
    """What runs is in sessions of its own, and would outlive this process."""
    for process in list(running):
        os.killpg(process.pid, signal.SIGKILL)
    os._exit(1)


def program():
    return next((COPY / ".build/debug").glob("*PackageTests.xctest"))


def memory(process_id):
    try:
        return int(pathlib.Path(f"/proc/{process_id}/statm").read_text().split()[1]) * 4096
    except (OSError, IndexError):
        return 0


def start(filter_, log, limit, number=None, reached=None):
    """Runs the tests with these names. Returns why they failed, or None, and the seconds.

    Without a mutant all of them run; with one, only until the first failure."""
    environment = dict(
        os.environ, NO_COLOR="1", SWIFT_BACKTRACE="enable=no",
        SLUICE_SIMULATED_SEEDS=os.environ.get("SLUICE_SIMULATED_SEEDS", "200"))
    if number is not None:
        environment["MUTANT"] = str(number)
    if reached:
        environment["MUTANTS_REACHED"] = str(reached)
    began = time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [program(), "--testing-library", "swift-testing", "--no-parallel", "--filter", filter_],
            cwd=COPY, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True)
    running.add(process)
    why = None
    while why is None:
        try:
            status = process.wait(0.2)
        except subprocess.TimeoutExpired:
            status = None
        failure = re.search(r"^✘ Test .*recorded an issue.*$|^.*Fatal error: .*$",
                            log.read_text(errors="replace"), re.M)
        seconds = time.monotonic() - began
        if failure and number is not None:
            why = failure.group()[:160]
        elif status is not None:
            why = (failure.group()[:160] if failure else f"status {status}") if status else None
            break
        elif seconds > limit:
            why = f"no end in {int(limit)} s"
        elif memory(process.pid) > MEMORY_MAX:
            why = f"more than {MEMORY_MAX >> 30} GB of memory"
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    running.discard(process)
    return why, time.monotonic() - began


def exact(suites):
    names = (re.sub(r"([.^$*+?()\[\]{}|\\])", r"\\\1", suite) for suite in suites)
    return "^(" + "|".join(names) + ")(/|$)"


def suites():
    output = subprocess.run(
        [program(), "--testing-library", "swift-testing", "--list-tests"], cwd=COPY, check=True,
        capture_output=True, text=True).stdout
    found = set(re.findall(r"^(\w+\.(?:`[^`]+`|\w+))/", output, re.M))
    return sorted(suite for suite in found
                  if suite.split(".")[0] in TESTS and not LEFT_OUT.match(suite))


def source(suite):
    """Changes with the suite's file, which has its name; or, where the name is a sentence, with any
    file of its module."""
    module, name = suite.split(".", 1)
    files = sorted((COPY / "Tests").rglob(f"{module}/**/*.swift" if "`" in name else f"{name}.swift"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def reach(mutants, deadline, workers):
    """For each suite: its seconds, and the mutants that it reaches. Suites that fail without a
    mutant are of no use; they are named."""
    path = WORK / "reached.json"
    stamp = [mutant.key for mutant in mutants]
    known = json.loads(path.read_text()) if path.exists() else {}
    if known.get("mutants") != stamp:
        known = {"mutants": stamp, "suites": {}}
    known["suites"] = {suite: entry for suite, entry in known["suites"].items()
                       if entry["source"] == source(suite)}

    def look(suite):
        if time.monotonic() > deadline:
            return
        file = WORK / f"reached.{suite}"
        file.unlink(missing_ok=True)
        why, seconds = start(exact([suite]), WORK / f"{suite}.log", 600, reached=file)
        data = file.read_bytes() if file.exists() else b""
        numbers = [mutant.number for mutant in mutants if data[mutant.number:mutant.number + 1] == b"\1"]
        known["suites"][suite] = {"seconds": seconds, "reached": numbers, "fails": why,
                                   "source": source(suite)}
        note(f"{suite}: {seconds:.1f} s, reaches {len(numbers)}" + (f", FAILS: {why}" if why else ""))
        path.write_text(json.dumps(known))

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(look, [suite for suite in suites() if suite not in known["suites"]]))
    if any(suite not in known["suites"] for suite in suites()):
        sys.exit("the time is over before all suites have run without a mutant: start it again")
    return {suite: entry for suite, entry in known["suites"].items() if not entry["fails"]}


# MARK: The verdicts

def judge(mutant, reached, long, worker):
    """Runs the suites that reach a mutant, but the long ones, until one notices it: (verdict, why)."""
    modules = PARTS[part_of(mutant)][2]
    near = [suite for suite in reached if suite.split(".")[0] in modules
            and mutant.number in reached[suite]["reached"]]
    if not near:
        return "not reached", ""
    for module in modules:
        own = sorted((suite for suite in near if suite.split(".")[0] == module),
                     key=lambda suite: reached[suite]["seconds"])
        if not own:
            continue
        # Two runs for a module: most mutants are noticed by the quick suites.
        own = [suite for suite in own if suite not in long]
        quick = [suite for suite in own if reached[suite]["seconds"] < 5]
        for some in (quick, [suite for suite in own if suite not in quick]):
            if not some:
                continue
            limit = SUITE_LIMIT + 3 * sum(reached[suite]["seconds"] for suite in some)
            why, _ = start(exact(some), WORK / f"mutant.{worker}.log", limit, number=mutant.number)
            if why:
                return "caught", f"{module}: {why}"
    return "survived", ""


def tests_of(mutants, nearest):
    """The test modules that look at these mutants; only the first of each part with `nearest`."""
    wanted = {module for mutant in mutants
              for module in PARTS[part_of(mutant)][2][:1 if nearest else None]}
    return [module for module in TESTS if module in wanted]


def main():
    global COPY, TESTS
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=100, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    parser.add_argument("--files", default="*", help="only of files with such a path, as Sources/Core/Ingest/Lane/*")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no mutant after so many")
    parser.add_argument("--longest", type=float, default=1e6,
                        help="run no mutant against a suite that takes more seconds than this")
    parser.add_argument("--nearest", action="store_true",
                        help="build and run only each part's own tests: quick, and the share is a lower bound")
    parser.add_argument("--workers", type=int, default=2, help="mutants that run at once")
    parser.add_argument("--again", action="store_true", help="run the survivors again")
    parser.add_argument("--list", action="store_true", help="print the mutants, and build nothing")
    parser.add_argument("--copy", type=pathlib.Path, default=COPY,
                        help="where the changed tree is; a build that is there already is continued")
    options = parser.parse_args()
    COPY = options.copy.resolve()
    deadline = time.monotonic() + options.minutes * 60

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    mutants, texts = choose(options.sample, options.seed, options.files)
    if options.list:
        for mutant in mutants:
            print(mutant.number, mutant.kind, mutant)
        return
    TESTS = tests_of(mutants, options.nearest)
    WORK.mkdir(exist_ok=True)
    mutants = build(mutants, texts)
    reached = reach(mutants, deadline, options.workers)
    long = {suite for suite in reached if reached[suite]["seconds"] > options.longest}

    path = WORK / "verdicts.json"
    verdicts = json.loads(path.read_text()) if path.exists() else {}
    free = list(range(options.workers))

    def run(mutant):
        known = verdicts.get(mutant.key)
        if known and not (options.again and known[0] != "caught") or time.monotonic() > deadline:
            return
        worker = free.pop()
        verdict = judge(mutant, reached, long, worker)
        free.append(worker)
        verdicts[mutant.key] = verdict
        note(f"{verdict[0]}: {mutant}" + (f"   [{verdict[1]}]" if verdict[1] else ""))
        path.write_text(json.dumps(verdicts, ensure_ascii=False, indent=1))

    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for done in [pool.submit(run, mutant) for mutant in mutants]:
            done.result()

    judged = [mutant for mutant in mutants if mutant.key in verdicts]
    caught = [mutant for mutant in judged if verdicts[mutant.key][0] == "caught"]
    print()
    if long:
        print(f"not run, as they take more than {options.longest:g} s: {', '.join(sorted(long))}")
    for mutant in judged:
        if mutant not in caught:
            print(f"{verdicts[mutant.key][0]} ({mutant.kind}): {mutant}")
    for part in PARTS:
        own = [mutant for mutant in judged if part_of(mutant) == part]
        if own:
            print(f"{part}: {sum(mutant in caught for mutant in own)} of {len(own)} caught")
    share = 100 * len(caught) / max(1, len(judged))
    print(f"seed {options.seed}: {len(caught)} of {len(judged)} mutants caught, {share:.0f} %; "
          f"{len(mutants) - len(judged)} were not run")


main()
