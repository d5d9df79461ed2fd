"""What a cut leaves of a few calls."""

import random
import subprocess
import sys

import pytest
from disk import SECTOR, Disk

OLD, NEW = b"o" * 10_000, b"n" * 9_000
START = """
import os
def write(name, data, offset=0, sync=False):
    file = os.open(name, os.O_RDWR | os.O_CREAT)
    os.pwrite(file, data, offset)
    if sync: os.fsync(file)
    return file
def sync(name):
    os.fsync(os.open(name, os.O_RDONLY))
OLD, NEW = b"o" * 10_000, b"n" * 9_000
"""


@pytest.fixture
def run(tmp_path, library):
    """Runs a program on a disk with the durable file old, and cuts; returns the disk's files."""
    root = tmp_path / "disk"
    root.mkdir()
    (root / "old").write_bytes(OLD)
    (root / "empty").mkdir()
    disk = Disk(root, tmp_path / "journal")

    def run(program, choices=None):
        subprocess.run(
            [sys.executable, "-B", "-c", START + program], cwd=root, check=True, env={
                "LD_PRELOAD": str(library), "POWER_ROOT": str(root),
                "POWER_JOURNAL": str(tmp_path / "journal")})
        disk.cut(choices)
        return {
            str(file.relative_to(root)): file.read_bytes()
            for file in root.rglob("*") if file.is_file()}

    return run


@pytest.mark.parametrize("program, files", [
    ("write('a', NEW)", {"old": OLD}),
    ("write('a', NEW, sync=True)", {"old": OLD}),
    ("write('a', NEW); sync('.')", {"old": OLD, "a": b""}),
    ("write('a', NEW, sync=True); sync('.')", {"old": OLD, "a": NEW}),
    ("write('a', NEW, sync=True); sync('.'); write('a', OLD)", {"old": OLD, "a": NEW}),
    ("write('old', NEW)", {"old": OLD}),
    ("write('old', NEW, sync=True)", {"old": NEW + OLD[9_000:]}),
    ("os.ftruncate(write('old', b''), 5)", {"old": OLD}),
    ("file = write('old', b''); os.ftruncate(file, 5); os.fsync(file)", {"old": OLD[:5]}),
    ("write('a', NEW, sync=True); os.rename('a', 'old')", {"old": OLD}),
    ("write('a', NEW, sync=True); os.rename('a', 'old'); sync('.')", {"old": NEW}),
    ("write('a', NEW); os.rename('a', 'old'); sync('.')", {"old": b""}),
    ("os.rename('old', 'empty/old'); sync('empty')", {"empty/old": OLD}),
    ("os.unlink('old')", {"old": OLD}),
    ("os.unlink('old'); sync('.')", {}),
    ("os.link('old', 'b'); sync('.')", {"old": OLD, "b": OLD}),
    ("os.mkdir('c'); write('c/a', NEW, sync=True); sync('c')", {"old": OLD}),
    ("os.mkdir('c'); write('c/a', NEW, sync=True); sync('.')", {"old": OLD}),
    ("os.mkdir('c'); write('c/a', NEW, sync=True); sync('c'); sync('.')", {"old": OLD, "c/a": NEW}),
])
def test_all_that_was_not_synced_is_lost(run, program, files):
    assert run(program) == files


def test_any_part_may_survive(run):
    """Each sector is old, new or, if it was never written, zeros. Many such files are possible."""
    found = set()
    for seed in range(20):
        files = run("write('old', NEW); write('a', NEW); sync('.')", random.Random(seed))
        for name, kinds in [("old", {b"o", b"n"}), ("a", {b"n", b"\0"})]:
            content = files[name]
            assert len(content) <= len(OLD)
            for start in range(0, len(content), SECTOR):
                assert {bytes([byte]) for byte in content[start:start + SECTOR]} <= kinds
        found.add((files["old"], files["a"]))
        run("write('old', OLD, sync=True); os.unlink('a'); sync('.')")
    assert len(found) > 10


def test_what_it_cannot_record_ends_the_process(run):
    with pytest.raises(subprocess.CalledProcessError):
        run("import mmap; mmap.mmap(write('old', b''), 100)")
