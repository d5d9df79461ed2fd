"""A disk that a power cut may leave: what was synced, and a part of the rest.

A `Disk` follows a directory by the journal of journal.c. It knows for each file and directory what is
durable, what is pending, and what the running programs see (the cache). `cut` decides what survives:

- of a file, what was written up to some moment, in units of a page; each of them may be missing or
  torn at a sector; what was never written reads as zeros. The size may be ahead of the bytes. A sync
  of the file makes its bytes and its size durable, not its name;
- of names, what was done up to some moment, everywhere or in each directory by itself. A sync of a
  directory makes its own names durable, not those above it. A rename is done as a whole or not at all.

This is what POSIX promises, and less than what ext4 does.
"""

import fcntl
import os
import pathlib
import re
import shutil

PAGE, SECTOR = 4096, 512


class File:
    def __init__(self, durable=b"", mode=0o600):
        self.mode, self.times = mode, None
        self.durable, self.cache = bytearray(durable), bytearray(durable)
        self.pending = []

    def do(self, change):
        self.pending.append(change)
        change.apply(self.cache)

    def sync(self, begin):
        for change in [change for change in self.pending if change.moment < begin]:
            change.apply(self.durable)
        self.pending = [change for change in self.pending if change.moment >= begin]


class Write:
    def __init__(self, moment, offset, data):
        self.moment, self.offset, self.data = moment, offset, data

    @property
    def end(self):
        return self.offset + len(self.data)

    def apply(self, content):
        extend(content, self.end)
        content[self.offset:self.end] = self.data

    def pieces(self):
        """The same bytes as writes within a page."""
        start = self.offset
        while start < self.end:
            end = min(self.end, start // PAGE * PAGE + PAGE)
            yield Write(self.moment, start, self.data[start - self.offset:end - self.offset])
            start = end

    def torn(self, random):
        """A beginning of it that ends with a sector."""
        sectors = range(self.offset // SECTOR * SECTOR + SECTOR, self.end, SECTOR)
        end = random.choice(sectors) if sectors else self.offset
        return Write(self.moment, self.offset, self.data[:end - self.offset])


class Resize:
    def __init__(self, moment, size):
        self.moment, self.size = moment, size

    def apply(self, content):
        del content[self.size:]
        extend(content, self.size)


def extend(content, size):
    if len(content) < size:
        content.extend(bytes(size - len(content)))


class Directory:
    def __init__(self, mode=0o700):
        self.mode, self.times = mode, None
        self.durable, self.cache = {}, {}


class Naming:
    """Names that get a file or directory, or none; at once."""

    def __init__(self, moment, *parts):
        self.moment, self.parts = moment, parts

    def apply(self, state):
        for directory, name, node in self.parts:
            entries = getattr(directory, state)
            if node is None:
                entries.pop(name, None)
            else:
                entries[name] = node


class Disk:
    """The directory `root`, followed by `journal`. All that is there at first is durable.

    ignored: a regular expression or nothing: syncs of paths that it matches don't count from then on.
             The paths are relative to the root; those of directories end with a slash.
    """

    def __init__(self, root, journal):
        self.root, self.journal = pathlib.Path(root), pathlib.Path(journal)
        self.ignored = None
        # The paths of syncs that counted, and of those that did not.
        self.synced, self.unsynced = set(), set()
        self.begin()

    def begin(self):
        self.journal.write_bytes(b"")
        self.position = 0
        self.nodes, self.namings = {}, []
        self.top = self._load(self.root)

    def _load(self, path):
        status = path.stat()
        if path.is_dir():
            node = Directory(status.st_mode & 0o7777)
            for entry in os.listdir(path):
                node.durable[entry] = self._load(path / entry)
            node.cache = dict(node.durable)
        else:
            # A second name of the same file.
            node = self.nodes.get(status.st_ino) or File(
                path.read_bytes(), status.st_mode & 0o7777)
        self.nodes[status.st_ino] = node
        return node

    # The journal

    FIELDS = {"C": 4, "D": 4, "L": 3, "R": 3, "S": 3, "U": 2, "W": 3, "Z": 2}

    def follow(self):
        """Reads the journal to its end; programs may be running."""
        with self.journal.open("rb") as file:
            file.seek(self.position)
            text = file.read()
        at = 0
        while (end := text.find(b"\n", at)) >= 0:
            kind = chr(text[at])
            fields = text[at + 2:end].decode().split(" ", self.FIELDS[kind] - 1)
            size = int(fields[2]) if kind == "W" else 0
            # It is being written.
            if len(text) <= end + size:
                break
            self._follow(self.position + at, kind, fields, text[end + 1:end + 1 + size])
            at = end + 1 + size
        self.position += at

    def _follow(self, moment, kind, fields, data):
        node = self.nodes.get(int(fields[0]))
        if node is None:
            raise AssertionError(f"the journal names an unknown inode: {kind} {fields}")
        if kind == "W":
            node.do(Write(moment, int(fields[1]), data))
        elif kind == "Z":
            node.do(Resize(moment, int(fields[1])))
        elif kind == "S":
            self._sync(node, int(fields[1]), fields[2])
        elif kind in "CD":
            inode, mode, name = int(fields[1]), int(fields[2], 8), fields[3]
            made = Directory(mode) if kind == "D" else File(mode=mode)
            self.nodes[inode] = made
            self._name(Naming(moment, (node, name, made)))
        elif kind == "L":
            self._name(Naming(moment, (node, fields[2], self.nodes[int(fields[1])])))
        elif kind == "U":
            self._name(Naming(moment, (node, fields[1], None)))
        elif kind == "R":
            target = self.nodes[int(fields[1])]
            old, new = fields[2].split("/")
            moved = node.cache[old]
            self._name(Naming(moment, (target, new, moved), (node, old, None)))

    def _name(self, naming):
        self.namings.append(naming)
        naming.apply("cache")

    def _sync(self, node, begin, path):
        path = os.path.relpath(path, self.root)
        if isinstance(node, Directory):
            path = f"{path}/"
        if self.ignored and re.search(self.ignored, path):
            self.unsynced.add(path)
            return
        self.synced.add(path)
        if isinstance(node, File):
            node.sync(begin)
            return
        rest = []
        for naming in self.namings:
            if naming.moment < begin and any(part[0] is node for part in naming.parts):
                naming.apply("durable")
            else:
                rest.append(naming)
        self.namings = rest

    def _check(self):
        """The cache must be what is in the directory, or a call was not recorded."""
        def look(node, path):
            status = path.stat()
            node.times = (status.st_atime_ns, status.st_mtime_ns)
            node.mode = status.st_mode & 0o7777
            if isinstance(node, File):
                assert path.read_bytes() == node.cache, f"the journal differs in {path}"
                return
            names = set(os.listdir(path))
            assert names == set(node.cache), f"{path}: {names} is not {set(node.cache)}"
            for name in names:
                look(node.cache[name], path / name)

        look(self.top, self.root)

    # The cut

    def kill(self, processes):
        """Ends all of them at once, and none between a call and its record."""
        with self.journal.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            for process in processes:
                process.kill()
            for process in processes:
                process.wait()

    def cut(self, random=None):
        """The power fails: the directory gets the content that a disk may have then, and the journal
        is empty. Returns what was dropped, for people.

        random: None: all that is pending is lost.
        """
        self.follow()
        self._check()
        report = []
        kept = self._surviving_names(random)
        for naming in kept:
            naming.apply("durable")
        if len(kept) < len(self.namings):
            report.append(f"{len(self.namings) - len(kept)} of {len(self.namings)} names")
        share = 0 if random is None else random.choice([0, 0.1, 0.5, 0.9, 1])
        changes = lost = 0
        for node in set(self.nodes.values()):
            if isinstance(node, File) and node.pending:
                changes += len(node.pending)
                if random is not None:
                    lost += self._survive(node, random, share)
                else:
                    lost += len(node.pending)
        if lost:
            report.append(f"pages of {lost} of {changes} writes")
        for entry in self.root.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        written = {}
        self._write(self.top, self.root, written)
        self.begin()
        return ", ".join(report) or "nothing"

    def _surviving_names(self, random):
        if random is None:
            return []
        form = random.choice(["none", "all", "some", "some", "each"])
        if form in ("none", "all"):
            return self.namings if form == "all" else []
        if form == "some":
            return self.namings[:random.randrange(len(self.namings) + 1)]
        ends = {}
        return [
            naming for naming in self.namings
            if naming.moment <= ends.setdefault(
                naming.parts[0][0], random.choice([-1, *(other.moment for other in self.namings)]))]

    @staticmethod
    def _survive(node, random, share):
        """Applies a part of what is pending; returns how many changes are not whole."""
        until = random.randrange(len(node.pending) + 1)
        lost = len(node.pending) - until
        for change in node.pending[:until]:
            if isinstance(change, Resize):
                change.apply(node.durable)
                continue
            is_whole = True
            for piece in change.pieces():
                if random.random() < share:
                    piece.apply(node.durable)
                    continue
                is_whole = False
                if random.random() < 0.3:
                    piece.torn(random).apply(node.durable)
            lost += not is_whole
        if random.random() < 0.3:
            extend(node.durable, len(node.cache))
        return lost

    def _write(self, node, path, written):
        if isinstance(node, File):
            if node in written:
                os.link(written[node], path)
                return
            written[node] = path
            path.write_bytes(node.durable)
        else:
            path.mkdir(exist_ok=True)
            for name, entry in node.durable.items():
                self._write(entry, path / name, written)
        path.chmod(node.mode)
        if node.times:
            os.utime(path, ns=node.times)
