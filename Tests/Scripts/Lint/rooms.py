#!/usr/bin/env python3
"""Says which imports lead from one room of `Sources` to a later one, and which files and names that
`ARCHITECTURE.md` mentions do not exist.

The rooms are folders, in the order in which data passes them: a file may import modules of its own
room and of earlier rooms. `ARCHITECTURE.md` says what each room is for.
"""

import re
import sys
from pathlib import Path

ROOMS = """
    Core/System Core/Support Core/S3 Core/Instruments Core/Readings Core/Scanner Core/SpoolLog
    Core/Schema Core/Postgres Core/Auth Core/Channels Core/Ingest Core/Status Core/HTTP
    Core/Retention Core/Erasure Core/Analysts Core/Imports Core/Doctor Core/Server
    Core/Commands Core/sluice-ingest
    Apps/Jobs Apps/Notices Apps/LanguageModels Apps/Inspection Apps/Media Apps/Captures
    Apps/Meals Apps/Analysis Apps/Formats
    Tools/COpenSSL Tools/Fleet Tools/Load Tools/Oracle Tools/Assembly Tools/sluice
    Client/Swift
""".split()

TARGET = re.compile(
    r'\.(?:target|executableTarget|systemLibrary)\(\s*name: "([^"]+)",.*?path: "([^"]+)"', re.S)
IMPORT = re.compile(r"^\s*(?:\w+\s+)?import (?:(?:struct|class|enum|func|protocol|typealias) )?(\w+)")


def room_of(path: str) -> str | None:
    """The room of a file or folder below `Sources`."""
    if path == "sql":
        return "Core/Schema"
    parts = path.split("/")
    if parts[0] != "Sources" or len(parts) < 3:
        return None
    return "/".join(parts[1:3])


def missing(root: Path) -> list[str]:
    """Paths and types of the page that are not there."""
    page = (root / "ARCHITECTURE.md").read_text()
    problems = [
        f"ARCHITECTURE.md: there is no {path}"
        for path in sorted(set(re.findall(r"`((?:Sources|Tests|sql|deploy)/[^`…]*)`", page)))
        if not (root / path).exists()
    ]
    sources = [file.read_text() for file in (root / "Sources").rglob("*.swift")]
    rooms = {room.split("/")[1] for room in ROOMS}
    for name in sorted(set(re.findall(r"`([A-Z][a-z]+[A-Z]\w+)`", page)) - rooms):
        declaration = re.compile(rf"\b(?:struct|class|enum|actor|protocol) {name}\b")
        if not any(declaration.search(text) for text in sources):
            problems.append(f"ARCHITECTURE.md: there is no type {name}")
    return problems


def main() -> int:
    root = Path(__file__).resolve().parents[3]
    package = (root / "Package.swift").read_text()
    modules = {name: room_of(path) for name, path in TARGET.findall(package)}
    problems = []
    for file in sorted((root / "Sources").rglob("*.swift")):
        path = file.relative_to(root).as_posix()
        room = room_of(path)
        if room not in ROOMS:
            problems.append(f"{path}: the room {room} is not in the list of Tests/Scripts/Lint/rooms.py")
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = IMPORT.match(line)
            other = modules.get(match[1]) if match else None
            if other is None or ROOMS.index(other) <= ROOMS.index(room):
                continue
            problems.append(f"{path}:{number}: {room} imports {match[1]} of {other}, a later room")
    problems += missing(root)
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
