import Foundation
import Oracle
import Postgres

/// The rig's own PostgreSQL cluster. It is as durable as a real one, and can be stopped, killed,
/// frozen and started again.
final class ChaosDatabase {
    enum StopMode: String {
        case smart, fast, immediate
    }

    /// Connection string for libpq, over the Unix socket.
    let url: String
    /// The directory of the socket.
    let socketDirectory: String
    /// The server's data directory, which is the working directory of all its processes.
    let data: String
    private let directory: String
    private let programs: String
    private let user: String?

    /// `max_wal_size` of a log on the usual disk.
    static let logBytesMax = 1 << 30

    private static let startSecondsMax = 60.0
    private static let stopSecondsMax = 30.0

    /// Makes the cluster and leaves it stopped.
    ///
    /// - Parameters:
    ///   - log: directory for the write-ahead log; nil for the usual one.
    ///   - isFollowed: whether standbys can follow it.
    init(directory: String, log: String?, isFollowed: Bool = false) throws {
        self.directory = directory
        var configuration = PrivateCluster.Configuration(dataDirectory: directory)
        configuration.path = ProcessInfo.processInfo.environment["PATH"]
        let cluster = try PrivateCluster(configuration)
        programs = cluster.binDirectory
        data = cluster.home + "/data"
        socketDirectory = cluster.settings.host ?? ""
        url = Self.url([socketDirectory])
        user = geteuid() == 0 ? Self.unprivilegedUser() : nil
        try cluster.stop()
        try configure(isLogTiny: log != nil)
        if isFollowed {
            try append(["wal_level = replica", "max_wal_senders = 8", "wal_keep_size = '256MB'"])
        }
        if let log { try moveLog(to: log) }
    }

    /// Makes a stopped copy of a running cluster in its present state.
    ///
    /// - Parameters:
    ///   - follows: whether the copy is a standby of the other cluster with its own socket.
    ///     Otherwise it uses the socket of the other.
    init(copyOf other: ChaosDatabase, directory: String, follows: Bool) throws {
        self.directory = directory
        programs = other.programs
        user = other.user
        data = directory + "/data"
        socketDirectory =
            follows ? Self.socketDirectory(of: directory) : other.socketDirectory
        url = Self.url([socketDirectory])
        for path in [directory, data] + (follows ? [socketDirectory] : []) {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
            try give(path)
        }
        try run(
            "pg_basebackup",
            [
                "--pgdata=\(data)", "--checkpoint=fast", "--wal-method=stream",
                "--dbname=\(other.origin)",
            ] + (follows ? ["--write-recovery-conf"] : []), seconds: Self.startSecondsMax)
        try append(["unix_socket_directories = '\(socketDirectory)'"])
    }

    /// The directory of the socket of a copy in that directory.
    static func socketDirectory(of directory: String) -> String { directory + "/socket" }

    /// Connection string for libpq, to the one of several servers that accepts writes.
    static func url(_ socketDirectories: [String]) -> String {
        let hosts = socketDirectories.joined(separator: ",")
        let ports = socketDirectories.map { _ in "5432" }.joined(separator: ",")
        let choice = socketDirectories.count > 1 ? " target_session_attrs=read-write" : ""
        return "host=\(hosts) port=\(ports) user=sluice dbname=sluice connect_timeout=2" + choice
    }

    /// Connection string for a standby of this cluster.
    private var origin: String {
        "host=\(socketDirectory) port=5432 user=sluice application_name=standby"
    }

    private static func unprivilegedUser() -> String? {
        ["postgres", "nobody"].first { getpwnam($0) != nil }
    }

    /// Settings that let it start fast and write everything into one log.
    private func configure(isLogTiny: Bool) throws {
        var lines = [
            "shared_buffers = '128MB'", "logging_collector = off", "log_min_messages = warning",
            "checkpoint_timeout = '5min'", "restart_after_crash = on",
        ]
        lines +=
            isLogTiny
            ? ["min_wal_size = '32MB'", "max_wal_size = '32MB'"]
            : ["min_wal_size = '256MB'", "max_wal_size = '\(Self.logBytesMax >> 20)MB'"]
        try append(lines)
    }

    private func append(_ lines: [String]) throws {
        let file = data + "/postgresql.conf"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(
            contentsOf: Data((text.hasSuffix("\n") ? "" : "\n").utf8)
                + Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    private func moveLog(to place: String) throws {
        try give(place)
        let words = [
            "/bin/sh", "-c",
            // Copies only the segment that a start needs: the others are made ahead, and the disk
            // is small.
            "cd '\(data)' && segment=$('\(programs)/pg_controldata' . "
                + "| sed -n 's/.*REDO WAL file: *//p') "
                + "&& cp -a \"pg_wal/$segment\" pg_wal/archive_status '\(place)/' "
                + "&& rm -r pg_wal && ln -s '\(place)' pg_wal",
        ]
        try Child.run(words, log: directory + "/command.out")
    }

    /// Makes the server's user the owner of a directory.
    func give(_ path: String) throws {
        guard let user, let entry = getpwnam(user) else { return }
        guard chown(path, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0,
            chmod(path, 0o700) == 0
        else { throw ChaosFailure.systemCallFailed("chown \(path)", errno: errno) }
    }

    // MARK: -

    func start() throws {
        // The processes that a killed postmaster leaves notice its end within moments.
        let deadline = Date(timeIntervalSinceNow: 5)
        while !processes.isEmpty, Date() < deadline { usleep(5000) }
        for id in processes { kill(id, SIGQUIT) }
        while !processes.isEmpty, Date() < deadline + 5 { usleep(5000) }
        // A dead postmaster that has not been reaped yet would look like a running one.
        if processes.isEmpty {
            unlink(data + "/postmaster.pid")
            unlink(socketDirectory + "/.s.PGSQL.5432.lock")
        }
        do {
            try control(
                "start", ["--wait", "--timeout=60", "--log=\(data)/../server.log"],
                seconds: Self.startSecondsMax + 5)
        } catch {
            throw ChaosFailure.databaseDown(log: "\(error)\n\(tail)")
        }
    }

    /// - Returns: whether it stopped within that time.
    @discardableResult
    func stop(_ mode: StopMode, seconds: Double = stopSecondsMax) throws -> Bool {
        guard isRunning else { return true }
        do {
            try control(
                "stop", ["--wait", "--mode=\(mode.rawValue)", "--timeout=\(Int(seconds))"],
                seconds: seconds + 5)
        } catch {
            guard isRunning else { return true }
            return false
        }
        return true
    }

    /// Kills the postmaster; its backends end when they notice.
    func kill9() {
        guard let postmaster else { return }
        kill(postmaster, SIGKILL)
    }

    /// Sends a signal to every process of the cluster.
    func signalAll(_ number: Int32) {
        // The postmaster first, because it must not start new processes meanwhile.
        if let postmaster { kill(postmaster, number) }
        for id in processes where id != postmaster { kill(id, number) }
    }

    /// Kills all of its processes at once, like a crash of its machine.
    func crash() {
        // SIGKILL also ends stopped processes; they must not send another byte.
        signalAll(SIGKILL)
    }

    /// Promotes this standby. Returns when it accepts writes, on a timeline of its own.
    func promote() throws {
        try control("promote", ["--wait", "--timeout=60"], seconds: Self.startSecondsMax + 5)
    }

    /// Starts this cluster as a standby of another. It must have been stopped cleanly.
    func follow(_ other: ChaosDatabase) throws {
        try append(["primary_conninfo = '\(other.origin)'", "recovery_target_timeline = latest"])
        try Data().write(to: URL(fileURLWithPath: data + "/standby.signal"))
        try start()
    }

    /// Sends SIGSTOP or SIGCONT to the processes that send the log to standbys.
    func signalSenders(_ number: Int32) {
        for id in processes {
            let title = try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)
            if title?.contains("walsender") ?? false { kill(id, number) }
        }
    }

    var isRunning: Bool { postmaster != nil }

    /// Sends a signal to one process of the cluster.
    func signal(_ process: Int, _ number: Int32) {
        guard let id = pid_t(exactly: process), processes.contains(id) else { return }
        kill(id, number)
    }

    /// A session for the rig itself. It stays writable and has no time limits, even if others are
    /// restricted.
    func session() throws -> Session {
        try Session(
            url: url + " options='-c default_transaction_read_only=off -c statement_timeout=0"
                + " -c lock_timeout=0 -c idle_in_transaction_session_timeout=0'")
    }

    /// Ends all sessions except that one.
    func terminateSessions(_ session: Session) throws {
        try session.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
                + "where datname = 'sluice' and pid <> pg_backend_pid()")
    }

    /// The end of the server's log.
    var tail: String {
        let text = try? String(contentsOfFile: data + "/../server.log", encoding: .utf8)
        return String((text ?? "").suffix(2000))
    }

    /// Stops it for good.
    func remove() {
        signalAll(SIGCONT)
        _ = try? stop(.immediate, seconds: 10)
        for id in processes { kill(id, SIGKILL) }
    }

    private var postmaster: pid_t? {
        let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        guard let line = text?.split(separator: "\n").first, let id = pid_t(line),
            processes.contains(id)
        else { return nil }
        return id
    }

    /// All processes whose working directory is the cluster's directory.
    private var processes: [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { id in
            let place = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(id)/cwd")
            return place == data
        }
    }

    private func control(_ verb: String, _ arguments: [String], seconds: Double) throws {
        try run("pg_ctl", [verb, "--pgdata=\(data)"] + arguments, seconds: seconds)
    }

    /// Runs one of PostgreSQL's programs as the server's user.
    private func run(_ program: String, _ arguments: [String], seconds: Double) throws {
        let prefix =
            user.map {
                [
                    "/usr/bin/setpriv", "--reuid=\($0)", "--regid=\(group($0))", "--clear-groups",
                    "--",
                ]
            }
            ?? []
        // Runs it in a directory that the server's user can enter.
        let words =
            ["/usr/bin/env", "--chdir=/"] + prefix + ["\(programs)/\(program)"]
        try Child.run(words + arguments, seconds: seconds, log: directory + "/command.out")
    }

    private func group(_ user: String) -> String {
        getpwnam(user).map { String($0.pointee.pw_gid) } ?? user
    }
}
