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


@functools.cache
def made(extension, *options):
    """The bytes of a file; options precede its name."""
    source, _ = TYPES[extension]
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / f"made.{extension}"
        subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-y", *source, *options, str(path)],
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        return path.read_bytes()
