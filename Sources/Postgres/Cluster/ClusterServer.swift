import Glibc

/// Makes and starts a private cluster with PostgreSQL's own programs.
struct ClusterServer {
    let layout: ClusterLayout
    let binaries: ServerBinaries
    let user: ServerUser?
    let superuser: String
    let isThrowaway: Bool

    /// initdb into a directory beside, which then gets its name: a crash leaves no half cluster.
    func create() throws(ClusterError) {
        let draft = layout.data + ".new"
        Files.removeTree(draft)
        var arguments = [
            "--pgdata=\(draft)", "--username=\(superuser)", "--encoding=UTF8", "--locale=C",
            "--data-checksums", "--auth-local=trust", "--auth-host=reject", "--no-instructions",
        ]
        if isThrowaway {
            arguments.append("--no-sync")
            try Files.write("", to: layout.throwawayMark, mode: 0o600, owner: user)
        }
        try command("initdb", arguments).run(limit: .seconds(120))
        let main = draft + "/postgresql.conf"
        let include = "\ninclude_if_exists = 'sluice.conf'\n"
        try Files.write(
            (Files.read(main) ?? "") + include, to: main, mode: 0o600, owner: user)
        guard rename(draft, layout.data) == 0 else {
            throw .fileFailed(path: layout.data, operation: "rename to", errno: errno)
        }
    }

    /// Starts the server and waits until it takes connections.
    func start(limit: Duration) throws(ClusterError) {
        try ServerProcess.clearRemains(
            inDirectory: layout.data, socketDirectory: layout.socketDirectory)
        let settings = ServerSettings(
            socketDirectory: layout.socketDirectory, logDirectory: layout.log,
            compressesWithLZ4: try knowsLZ4(), isThrowaway: isThrowaway)
        try Files.write(settings.text, to: layout.settings, mode: 0o600, owner: user)
        do throws(ClusterError) {
            // pg_ctl puts the server into a session of its own.
            try command(
                "pg_ctl",
                [
                    "start", "--silent", "--wait", "--timeout=\(limit.components.seconds)",
                    "--pgdata=\(layout.data)", "--log=\(layout.startLog)",
                ]
            ).run(limit: limit + .seconds(10))
        } catch {
            guard case .commandFailed(let program, let status, let output) = error else {
                throw error
            }
            let log = (Files.read(layout.startLog) ?? "").split(whereSeparator: \.isNewline)
            throw .commandFailed(
                program: program, status: status,
                output: ([output] + log.suffix(5).map(String.init)).joined(separator: "\n"))
        }
    }

    /// Where it will listen when it is started, which an operator may have set; nil: its settings
    /// can't be read.
    var configuredPort: Int? {
        (try? command("postgres", ["-D", layout.data, "-C", "port"]).run(limit: .seconds(10)))
            .flatMap { Int($0.split(whereSeparator: \.isNewline).last ?? "") }
    }

    private func knowsLZ4() throws(ClusterError) -> Bool {
        let probe = command(
            "postgres", ["-D", layout.data, "-c", "wal_compression=lz4", "-C", "wal_compression"])
        return try probe.runForStatus(limit: .seconds(10)).status == 0
    }

    private func command(_ program: String, _ arguments: [String]) -> Command {
        Command(program: "\(binaries.directory)/\(program)", arguments: arguments, user: user)
    }
}
