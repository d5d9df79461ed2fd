#!/usr/bin/env python3
"""Prints what is in a release, as CycloneDX 1.5: Swift packages, which are linked into the programs,
and Debian's packages, whose libraries the programs load.

usage: sbom.py SCRATCH VERSION COMMIT
  SCRATCH   the directory with release/sluice, release/sluice-inspect and checkouts/

The time is SOURCE_DATE_EPOCH, and the serial number comes from the commit: two runs print the same.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]


def output(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def swift_packages():
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        state, address = pin["state"], pin["location"].removesuffix(".git")
        version = state.get("version") or state["revision"]
        yield {
            "type": "library", "name": pin["identity"], "version": version,
            "purl": f"pkg:swift/{address.removeprefix('https://')}@{version}",
            "externalReferences": [{"type": "vcs", "url": pin["location"]}],
            "properties": [{"name": "commit", "value": state["revision"]}]}


def runtime():
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    return {
        "type": "framework", "name": "swift-runtime", "version": version,
        "licenses": [{"expression": "Apache-2.0 WITH Swift-exception"}]}


def debian_packages(programs):
    files = {
        os.path.realpath(path)
        for program in programs for path in re.findall(r"=> (/\S+)", output("ldd", program))}
    names = set()
    for file in files:
        # dpkg knows a file by the name that it had before /lib became a link.
        for name in file, file.removeprefix("/usr"):
            found = subprocess.run(["dpkg", "--search", name], text=True, capture_output=True)
            if found.returncode == 0:
                names.add(found.stdout.split(":")[0])
                break
        else:
            sys.exit(f"sbom: no package has {file}")
    architecture = output("dpkg", "--print-architecture").strip()
    for name in sorted(names):
        version = output(
            "dpkg-query", "--show", "--showformat=${Version}", f"{name}:{architecture}")
        yield {
            "type": "library", "name": name, "version": version,
            "purl": f"pkg:deb/debian/{name}@{version}?arch={architecture}"}


def document(scratch, version, commit):
    time = datetime.datetime.fromtimestamp(
        int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    programs = [scratch / "release" / name for name in ["sluice", "sluice-inspect"]]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'sluice {version} {commit}')}",
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application", "name": "sluice", "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "properties": [{"name": "commit", "value": commit}]}},
        "components": [*swift_packages(), runtime(), *debian_packages(programs)]}


if __name__ == "__main__":
    scratch, version, commit = sys.argv[1:]
    commit = commit.strip("()").removeprefix("commit ")
    print(json.dumps(document(pathlib.Path(scratch), version, commit), indent=2))
