#!/usr/bin/env python3
"""Says which types of `Sources` are not in the file of their name, which functions, tables and views of
the schemas `sluice` and `analytics` the sources call, but nothing creates, and which metrics the status
reads, but nothing registers.

`Name.swift` and `Name+Topic.swift` hold the type `Name`, its extensions and what is private to the
file. What belongs to one type only is nested in it.
"""

import re
import sys
from pathlib import Path

TYPE = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|final|indirect|nonisolated) )*"
    r"(?:struct|class|enum|actor|protocol) (\w+)", re.M)
CREATED = re.compile(
    r"create (?:or replace )?(?:unlogged )?(?:function|procedure|table|view)\s+(?:if not exists )?"
    r"((?:sluice|analytics)\.\w+)", re.I)
CALLED = re.compile(r"\b((?:sluice|analytics)\.[a-z]\w*) ?\(")
READ = re.compile(
    r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE|CALL) ((?:sluice|analytics)\.[a-z]\w*)", re.I)

METRIC = re.compile(
    r'((?:sum|value|distribution|each)\(\s*|figures\[|metrics\[)?"(sluice_(?:[a-z_]|\\\(\w+\))+)"')


def main() -> int:
    root = Path(__file__).resolve().parents[3]
    sources = sorted((root / "Sources").rglob("*.swift"))
    files = sources + sorted((root / "sql").glob("*.sql"))
    created = {name for file in files for name in CREATED.findall(file.read_text())}
    metrics = [use for file in sources for use in METRIC.findall(file.read_text())]
    registered = re.compile("|".join(
        re.sub(r"\\\(\w+\)", "[a-z]+", name) for read, name in metrics if not read))
    problems = [
        f"Sources: the metric {name} is read, but nothing registers it"
        for name in sorted({name for read, name in metrics if read})
        if not registered.fullmatch(name)
    ]
    for file in sources:
        path = file.relative_to(root).as_posix()
        text = file.read_text()
        stem = file.stem.split("+")[0]
        problems += [
            f"{path}: the type {name} is to be in {name}.swift, or nested in the type that uses it"
            for name in TYPE.findall(text) if name != stem
        ]
        problems += [
            f"{path}: nothing creates {name}"
            for name in sorted(set(CALLED.findall(text) + READ.findall(text)) - created)
        ]
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
