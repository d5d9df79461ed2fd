import Files
import Glibc

/// The settings that a private cluster is started with.
///
/// They are written to `sluice.conf` in the cluster at every start. Settings that an operator puts
/// into `postgresql.conf` after the include, or sets by ALTER SYSTEM, take precedence.
struct ServerSettings {
    let socketDirectory: String
    /// In the socket's name, and the TCP port if ``listens``.
    let port: Int
    let listens: Bool
    /// The file of the access rules; nil: `pg_hba.conf`.
    let accessFile: String?
    let logDirectory: String
    /// Compresses the log's full pages with LZ4, if the server was built with it.
    let compressesWithLZ4: Bool
    /// For tests: uses little memory, and nothing survives a crash of the machine.
    let isThrowaway: Bool

    static let port = 5432

    var text: String {
        let access = accessFile.map { [("hba_file", $0)] } ?? []
        let lines = shared + access + (isThrowaway ? throwaway : durable)
        return "# Written by sluice at every start. Own settings: ALTER SYSTEM.\n"
            + lines.map { "\($0.0) = '\($0.1)'\n" }.joined()
    }

    private var shared: [(String, String)] {
        [
            ("listen_addresses", listens ? "127.0.0.1" : ""),
            ("port", String(port)),
            ("unix_socket_directories", socketDirectory),
            ("unix_socket_permissions", "0700"),
            ("cluster_name", "sluice"),
            ("timezone", "UTC"),
            ("log_timezone", "UTC"),
            // No details and no statements: they contain data of devices.
            ("log_error_verbosity", "terse"),
            ("log_min_error_statement", "panic"),
            ("jit", "off"),
            // Also with fsync off: committed data has then reached the kernel.
            ("synchronous_commit", "on"),
            ("max_connections", "100"),
            // A query over two years locks some 4000 tables and indexes. With 64, eight sessions of
            // an analyst leave no locks for writers.
            ("max_locks_per_transaction", "512"),
        ]
    }

    private var durable: [(String, String)] {
        [
            ("fsync", "on"),
            ("full_page_writes", "on"),
            ("shared_buffers", "\(Self.sharedBufferMegabytes(memoryBytes: Self.memoryBytes))MB"),
            ("wal_buffers", "16MB"),
            ("wal_compression", compressesWithLZ4 ? "lz4" : "on"),
            // Rare checkpoints: after each one whole pages are logged again. Recycled segments
            // halve the time of fdatasync.
            ("checkpoint_timeout", "15min"),
            ("max_wal_size", "4GB"),
            ("min_wal_size", "1GB"),
            ("random_page_cost", "1.1"),
            // One file per weekday, truncated when it is used again: at most a week of logs.
            ("logging_collector", "on"),
            ("log_directory", logDirectory),
            ("log_filename", "server-%a.log"),
            ("log_truncate_on_rotation", "on"),
            ("log_rotation_age", "1d"),
            ("log_rotation_size", "0"),
        ]
    }

    private var throwaway: [(String, String)] {
        [
            ("fsync", "off"),
            ("full_page_writes", "off"),
            ("shared_buffers", "64MB"),
            ("max_wal_size", "1GB"),
            ("wal_level", "minimal"),
            ("max_wal_senders", "0"),
            // It holds nobody's data, so failed statements may be logged in full.
            ("log_error_verbosity", "default"),
            ("log_min_error_statement", "error"),
            // Tests that run side by side share one server.
            ("max_connections", "400"),
        ]
    }

    /// An eighth of the memory, because sluice and the page cache need memory too: 64 MB to 4 GB.
    static func sharedBufferMegabytes(memoryBytes: Int) -> Int {
        min(max(memoryBytes / 8 / 1_048_576, 64), 4096)
    }

    /// The memory of this machine or this container.
    private static var memoryBytes: Int {
        let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        let limit = ClusterFiles.read("/sys/fs/cgroup/memory.max").flatMap { text in
            Int(text.prefix { $0.isNumber })
        }
        return min(physical, limit ?? physical)
    }
}

/// Makes and starts a private cluster with PostgreSQL's own programs.
struct ClusterServer {
    let layout: ClusterLayout
    let binaries: ServerBinaries
    let user: ServerUser?
    let superuser: String
    let isThrowaway: Bool
    /// nil: none.
    let door: AnalystDoor?
    /// The one that analysts may connect to.
    let database: String
    /// In the socket's name.
    let port: Int

    init(
        layout: ClusterLayout, binaries: ServerBinaries, user: ServerUser?, superuser: String,
        isThrowaway: Bool, door: AnalystDoor?, database: String
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
        port = door?.choosePort(before: before) ?? ServerSettings.port
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

    /// Starts the server and waits until it accepts connections.
    func start(limit: Duration) throws(ClusterError) {
        try ServerProcess.clearRemains(
            inDirectory: layout.data, socketDirectory: layout.socketDirectory)
        try writeSettings()
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
    func writeSettings() throws(ClusterError) {
        let access = ClusterFiles.read(layout.data + "/pg_hba.conf") ?? ""
        let isOpen = door != nil && AnalystDoor.isUntouched(access)
        if let door, isOpen {
            try ClusterFiles.write(
                door.rules(database: database), to: layout.access, mode: 0o600, owner: user)
        }
        let settings = ServerSettings(
            socketDirectory: layout.socketDirectory, port: port,
            listens: isOpen && AnalystDoor.isFree(port), accessFile: isOpen ? layout.access : nil,
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
