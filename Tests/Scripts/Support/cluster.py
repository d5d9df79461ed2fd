"""A PostgreSQL for one test."""

import os
import pathlib
import shutil

from programs import DEPLOY, ENVIRONMENT, free_port, run


class Cluster:
    """A PostgreSQL whose roles are created by the same script as in compose.yml."""

    SUPERUSER = "postgres"
    # The directory of initdb, pg_ctl and postgres; None means those of the PATH or of Debian.
    PROGRAMS = None
    AUTHENTICATION = "scram-sha-256"
    SETTINGS = {"listen_addresses": "127.0.0.1", "fsync": "off"}
    PASSWORDS = {
        "SLUICE_DATABASE_PASSWORD": "a'b-1", "GRAFANA_DATABASE_PASSWORD": 'c"d-2'}

    def __init__(self, directory):
        self.directory = directory
        self.data = directory / "data"
        self.port = free_port()
        # PostgreSQL does not run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        directory.mkdir()
        if self.user:
            shutil.chown(directory, self.user)
        self.tool(
            "initdb", "--auth-local=trust", f"--auth-host={self.AUTHENTICATION}", "--encoding=UTF8",
            "--locale=C.UTF-8", "--no-sync", f"--username={self.SUPERUSER}", self.data)
        self.start()
        self.make_roles()

    @property
    def servers(self):
        """All PostgreSQL servers of the cluster."""
        return [self]

    def make_roles(self):
        run(
            "bash", DEPLOY / "docker/postgres/roles.sh",
            env=ENVIRONMENT | self.PASSWORDS
            | {"PGHOST": str(self.directory), "PGPORT": str(self.port)})

    def tool(self, name, *arguments):
        versions = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        program = f"{self.PROGRAMS}/{name}" if self.PROGRAMS else shutil.which(name) or versions[-1]
        return run(
            program, *arguments, env=ENVIRONMENT, cwd=self.directory, user=self.user)

    def start(self):
        settings = self.SETTINGS | {
            "port": self.port, "unix_socket_directories": self.directory}
        self.tool(
            "pg_ctl", "start", "-w", "-D", self.data, "-l", self.directory / "log",
            "-o", " ".join(f"-c {name}={value}" for name, value in settings.items()))

    def stop(self):
        self.tool("pg_ctl", "stop", "-w", "-D", self.data, "-m", "immediate")

    def address(self, role):
        """The value for DATABASE_URL."""
        password = self.PASSWORDS[f"{role.upper()}_DATABASE_PASSWORD"].replace("'", r"\'")
        return f"host=127.0.0.1 port={self.port} user={role} dbname=sluice password='{password}'"

    def psql(self, role, sql):
        """The output of psql for a statement, as that role, over TCP and with its password."""
        return self.psql_with(role, "--csv", "--command", sql)

    def psql_with(self, role, *arguments):
        """The output of psql with these arguments."""
        password = self.PASSWORDS.get(f"{role.upper()}_DATABASE_PASSWORD", "")
        return run(
            "psql", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", *arguments,
            ok=False, env=ENVIRONMENT | {
                "PGHOST": "127.0.0.1", "PGPORT": str(self.port), "PGUSER": role,
                "PGDATABASE": "sluice", "PGPASSWORD": password})
