import Files
import Glibc

/// Makes and starts a private cluster with PostgreSQL's own programs.
struct ClusterServer {
    let layout: ClusterLayout
    let binaries: ServerBinaries
    let user: ServerUser?
    let superuser: String
    let isThrowaway: Bool
    /// nil: none.
    let door: AnalystListener?
    /// The one that analysts may connect to.
    let database: String
    /// In the socket's name.
    private(set) var port: Int

    /// - Parameter running: the server that runs already. Clients of this process know its port, so
    ///   later starts keep it.
    init(
        layout: ClusterLayout, binaries: ServerBinaries, user: ServerUser?, superuser: String,
        isThrowaway: Bool, door: AnalystListener?, database: String, running: ServerProcess?
    ) {
        self.layout = layout
        self.binaries = binaries
        self.user = user
        self.superuser = superuser
        self.isThrowaway = isThrowaway
        self.door = door
        self.database = database
        let before = ClusterFiles.read(layout.settings).flatMap { text in
            text.firstMatch(of: #/(?m)^port = '(\d+)'$/#).flatMap { Int($0.1) }
        }
        port = running?.port ?? door?.choosePort(before: before) ?? ServerSettings.port
    }

    /// Runs initdb in a temporary directory and renames it: a crash leaves no incomplete cluster.
    func create() throws(ClusterError) {
        let draft = layout.data + ".new"
        ClusterFiles.removeTree(draft)
        var arguments = [
            "--pgdata=\(draft)", "--username=\(superuser)", "--encoding=UTF8", "--locale=C",
            "--data-checksums", "--auth-local=trust", "--auth-host=reject", "--no-instructions",
        ]
        if isThrowaway {
            arguments.append("--no-sync")
            try ClusterFiles.write("", to: layout.throwawayMark, mode: 0o600, owner: user)
        }
        try command("initdb", arguments).run(limit: .seconds(120))
        let main = draft + "/postgresql.conf"
        let include = "\ninclude_if_exists = 'sluice.conf'\n"
        guard let text = ClusterFiles.read(main) else {
            throw .fileFailed(path: main, operation: "read", errno: errno)
        }
        try ClusterFiles.write(text + include, to: main, mode: 0o600, owner: user)
        guard rename(draft, layout.data) == 0 else {
            throw .fileFailed(path: layout.data, operation: "rename to", errno: errno)
        }
        // Otherwise a power cut could take the name back, and with it all that was stored since.
        try Descriptor<ClusterError>(layout.data + "/..", O_RDONLY | O_DIRECTORY).sync()
    }

    /// How many ports a first start tries.
    private static let portsMax = 8

    /// Starts the server before any client knows its port: on another one if another server takes
    /// the chosen port meanwhile.
    mutating func startOnFreePort(limit: Duration) throws(ClusterError) {
        for _ in 0..<Self.portsMax {
            guard let door, door.port == 0 else { break }
            port = door.choosePort(before: port)
            guard AnalystListener.isFree(port) else { break }
            do throws(ClusterError) {
                return try start(listens: true, limit: limit)
            } catch {
                let isTaken =
                    ServerProcess.find(inDirectory: layout.data) == nil
                    && !AnalystListener.isFree(port)
                guard case .commandFailed = error, isTaken else { throw error }
            }
        }
        try start(limit: limit)
    }

    /// Starts the server and waits until it accepts connections: only on its socket if another
    /// server has the port.
    func start(limit: Duration) throws(ClusterError) {
        try start(listens: AnalystListener.isFree(port), limit: limit)
    }

    private func start(listens: Bool, limit: Duration) throws(ClusterError) {
        try ServerProcess.clearRemains(
            inDirectory: layout.data, socketDirectory: layout.socketDirectory)
        try writeSettings(listens: listens)
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
            let log = ClusterFiles.lastLines(5, of: layout.startLog)
            throw .commandFailed(
                program: program, status: status,
                output: ([output] + log).joined(separator: "\n"))
        }
    }

    /// Call it only while the server is stopped.
    ///
    /// - Parameter listens: on TCP, unless the access rules are an operator's own.
    func writeSettings(listens: Bool) throws(ClusterError) {
        let access = ClusterFiles.read(layout.data + "/pg_hba.conf") ?? ""
        let isOpen = door != nil && AnalystListener.isUntouched(access)
        if let door, isOpen {
            try ClusterFiles.write(
                door.rules(database: database), to: layout.access, mode: 0o600, owner: user)
        }
        let settings = ServerSettings(
            socketDirectory: layout.socketDirectory, port: port,
            listens: isOpen && listens,
            accessFile: isOpen ? layout.access : nil,
            logDirectory: layout.log, compressesWithLZ4: try knowsLZ4(), isThrowaway: isThrowaway)
        try ClusterFiles.write(settings.text, to: layout.settings, mode: 0o600, owner: user)
    }

    /// The port on which the server will listen, which an operator may have set; nil when its
    /// settings can't be read.
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
