"""Real files of every type that the journal accepts, made by ffmpeg."""

import functools
import pathlib
import subprocess
import tempfile

PICTURE = ["-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-frames:v", "1"]
FILM = ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=2", "-f", "lavfi", "-i", "sine=d=2"]
SOUND = ["-f", "lavfi", "-i", "sine=d=2"]

# Extension: how the file is made, and its type.
TYPES = {
    "jpg": (PICTURE, "image/jpeg"),
    "png": (PICTURE, "image/png"),
    "webp": (PICTURE, "image/webp"),
    "gif": (PICTURE, "image/gif"),
    "mp4": (FILM, "video/mp4"),
    "mov": (FILM, "video/quicktime"),
    "mp3": (SOUND, "audio/mpeg"),
    "m4a": (SOUND, "audio/mp4"),
    "wav": (SOUND, "audio/wav"),
}


# Without the encoder's name and version, which the journal does not keep.
BARE = "-map_metadata -1 -fflags +bitexact -flags:v +bitexact -flags:a +bitexact".split()


@functools.cache
def made(extension, *options):
    """The bytes of a file; options precede its name."""
    source, _ = TYPES[extension]
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / f"made.{extension}"
        subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-y", *source, *BARE, *options, str(path)],
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        content = path.read_bytes()
    return without_tags(content) if extension in ("mp4", "m4a") else content


def without_tags(content):
    """The box of tags that ffmpeg always writes becomes free space, as the journal keeps it."""
    start = content.rfind(b"udta") - 4
    size = int.from_bytes(content[start : start + 4], "big")
    return content[: start + 4] + b"free" + bytes(size - 8) + content[start + size :]
