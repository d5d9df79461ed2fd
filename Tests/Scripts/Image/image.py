"""The image of deploy/docker/Dockerfile, built by buildah on a Debian that debootstrap makes, and run
as a container engine would: its user, its environment and its command, in its own root."""

import json
import re
import shutil

from programs import DEPLOY, ENVIRONMENT, Program, run

DOCKERFILE = (DEPLOY / "docker/Dockerfile").read_text()
SWIFT = "/opt/swift/usr/lib/swift/linux"


class Unreachable(Exception):
    """Debian's mirror can't be reached."""


class Image:
    """The last stage of the Dockerfile, with programs that were built before: the first stage takes
    a compiler. The base stands in for debian:bookworm-slim."""

    def __init__(self, directory, programs):
        """directory: is created. programs: has sluice and sluice-inspect. Takes two minutes."""
        directory.mkdir()
        self.directory = directory
        base = directory / "base"
        done = run(
            "debootstrap", "--variant=minbase", "bookworm", base, ok=False, timeout=600,
            env=ENVIRONMENT)
        if "Failed getting release file" in done.stdout:
            raise Unreachable
        assert done.returncode == 0, done.stdout
        context = directory / "context"
        (context / "result").mkdir(parents=True)
        for name in ["sluice", "sluice-inspect"]:
            shutil.copy(programs / name, context / "result")
            run("strip", "--strip-debug", context / "result" / name)
        stage = re.sub(
            r"^COPY --from=build (.*)$", lambda match: "COPY " + match[1].replace("/result", "result"),
            "FROM localhost/base\n" + DOCKERFILE.rsplit("\nFROM ", 1)[1].split("\n", 1)[1],
            flags=re.MULTILINE)
        # A build for development loads Swift's libraries, which the image's own build links.
        libraries = run("ldd", context / "result/sluice").stdout
        if SWIFT in libraries:
            (context / "swift").mkdir()
            for path in set(re.findall(rf"{SWIFT}/\S+", libraries)):
                shutil.copy(path, context / "swift")
            stage = stage.replace("\nUSER ", f"\nCOPY swift {SWIFT}\nUSER ", 1)
        (context / "Dockerfile").write_text(stage)
        made = self.last("from", "scratch")
        self.buildah("add", "--quiet", made, base, "/")
        self.buildah("commit", "--quiet", "--rm", made, "localhost/base")
        shutil.rmtree(base)
        self.buildah(
            "bud", "--layers=false", "--pull-never", "--isolation", "chroot", "--format", "docker",
            "--tag", "localhost/sluice", context)
        self.container = self.last("from", "--pull-never", "localhost/sluice")
        self.root = self.last("mount", self.container)
        self.configuration = json.loads(
            self.buildah("inspect", "--type", "image", "localhost/sluice"))["Docker"]["config"]

    def last(self, *arguments):
        """The last line that buildah prints."""
        return self.buildah(*arguments).strip().split("\n")[-1]

    def buildah(self, *arguments):
        store = self.directory / "store"
        done = run(
            "buildah", "--storage-driver", "vfs", "--root", store, "--runroot",
            self.directory / "run", *arguments, timeout=600,
            env=ENVIRONMENT | {"HOME": str(self.directory), "TMPDIR": str(self.directory)})
        return done.stdout

    def command(self, volume, words=None):
        """A command in a container: the root can't be written, the volume can.

        words: nil means the image's own."""
        words = words or self.configuration["Entrypoint"] + self.configuration["Cmd"]
        user, group = self.configuration["User"].split(":")
        script = """
            mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"
            mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/tmp" && mount --bind "$2" "$1/$3"
            mount --bind /dev "$1/dev"
            root=$1 directory=$3 user=$4 group=$5; shift 5
            exec chroot --userspec="$user:$group" --groups= "$root" \
                env --chdir="$directory" "$@"
            """
        variables = [one for one in self.configuration["Env"]]
        return [
            "unshare", "--mount", "--", "bash", "-euc", script, "bash", self.root, volume,
            self.configuration["WorkingDir"], user, group, *variables, *words]

    def remove(self):
        self.buildah("umount", "--all")
        shutil.rmtree(self.directory)


def container(image, volume, log, settings):
    """A running container."""
    own = [f"{key}={value}" for key, value in settings.items()]
    words = image.configuration["Entrypoint"] + image.configuration["Cmd"]
    return Program(image.command(volume, own + words), log, {})
