"""Where a file was made: removed from served files, unless the user keeps it."""

import struct

import requests

from client import LIMIT, same
from entries import post
from recordings import made

LATITUDE = (52, 31, 12)


def located(jpeg):
    """A JPEG with a maker, a picture's date and a place in its Exif block."""
    maker = b"Example\0"

    def entry(tag, kind, count, value):
        return struct.pack("<HHI", tag, kind, count) + value

    # After the header: the first directory, the data it points to, the directory of the place.
    first_end = 8 + 2 + 2 * 12 + 4
    place = first_end + len(maker)
    numbers = place + 2 + 2 * 12 + 4
    tiff = b"II*\0" + struct.pack("<I", 8)
    tiff += struct.pack("<H", 2)
    tiff += entry(0x010F, 2, len(maker), struct.pack("<I", first_end))
    tiff += entry(0x8825, 4, 1, struct.pack("<I", place))
    tiff += struct.pack("<I", 0) + maker
    tiff += struct.pack("<H", 2)
    tiff += entry(1, 2, 2, b"N\0\0\0")
    tiff += entry(2, 5, 3, struct.pack("<I", numbers))
    tiff += struct.pack("<I", 0)
    for number in LATITUDE:
        tiff += struct.pack("<II", number, 1)
    block = b"Exif\0\0" + tiff
    segment = b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block
    return jpeg[:2] + segment + jpeg[2:]


def places(url):
    """Coordinates are removed from pictures and films before anybody can read them."""
    coordinates = b"".join(struct.pack("<II", number, 1) for number in LATITUDE)
    picture = located(made("jpg"))
    assert coordinates in picture
    film = made("mov", "-metadata", "location=+52.5200+013.4050/")
    assert b"+52.5200" in film
    for name, content, secret in [("a.jpg", picture, coordinates), ("a.mov", film, b"+52.5200")]:
        for keeps in (False, True):
            says, files = {"keepLocation": str(keeps).lower()}, {"file": (name, content)}
            answers = [
                post(url, "multimedia", says, files),
                post(url, "multimedia", {}, files, params=says),
            ]
            for answer in answers:
                same(answer.status_code, 200)
                found = requests.get(answer.json()["files"][0]["data"]["url"], timeout=LIMIT)
                same(found.status_code, 200)
                same(secret in found.content, keeps)
                same(found.content == content, keeps)
                same(len(found.content), answer.json()["files"][0]["data"]["size"])
        silent = post(url, "multimedia", {}, {"file": (name, content)}).json()
        found = requests.get(silent["files"][0]["data"]["url"], timeout=LIMIT)
        assert secret not in found.content
    assert b"Example" in requests.get(
        post(url, "multimedia", {}, {"file": ("a.jpg", picture)}).json()["files"][0]["data"]["url"],
        timeout=LIMIT,
    ).content, "more was taken out than the place"
