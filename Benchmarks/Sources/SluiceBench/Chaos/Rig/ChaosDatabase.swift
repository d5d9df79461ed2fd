import Foundation
import Oracle
import Postgres

/// A PostgreSQL cluster of the rig's own, durable as a real one, that can be stopped, killed,
/// frozen and started again.
final class ChaosDatabase {
    enum StopMode: String {
        case smart, fast, immediate
    }

    /// For libpq, over the Unix socket.
    let url: String
    /// Where the socket is.
    let socketDirectory: String
    /// The server's own directory, which is the working directory of all its processes.
    let data: String
    private let directory: String
    private let programs: String
    private let user: String?

    private static let startSecondsMax = 60.0
    private static let stopSecondsMax = 30.0

    /// Makes the cluster; it is stopped then.
    ///
    /// - Parameters:
    ///   - log: directory for the write-ahead log; nil: where it belongs.
    ///   - isFollowed: standbys can follow it.
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

    /// A stopped copy of a running one, of this moment.
    ///
    /// - Parameters:
    ///   - follows: it is a standby of that one, with a place of its own to listen. Otherwise it
    ///     takes that one's.
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

    /// Where a copy in that directory listens.
    static func socketDirectory(of directory: String) -> String { directory + "/socket" }

    /// For libpq: the one of several that takes writes.
    static func url(_ socketDirectories: [String]) -> String {
        let hosts = socketDirectories.joined(separator: ",")
        let ports = socketDirectories.map { _ in "5432" }.joined(separator: ",")
        let choice = socketDirectories.count > 1 ? " target_session_attrs=read-write" : ""
        return "host=\(hosts) port=\(ports) user=sluice dbname=sluice connect_timeout=2" + choice
    }

    /// For a standby of this one.
    private var origin: String {
        "host=\(socketDirectory) port=5432 user=sluice application_name=standby"
    }

    private static func unprivilegedUser() -> String? {
        ["postgres", "nobody"].first { getpwnam($0) != nil }
    }

    /// Small enough to start in a moment, and everything in one place to read.
    private func configure(isLogTiny: Bool) throws {
        var lines = [
            "shared_buffers = '128MB'", "logging_collector = off", "log_min_messages = warning",
            "checkpoint_timeout = '5min'", "restart_after_crash = on",
        ]
        lines +=
            isLogTiny
            ? ["min_wal_size = '32MB'", "max_wal_size = '32MB'"]
            : ["min_wal_size = '256MB'", "max_wal_size = '1GB'"]
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
            // Only what a start needs: the others are made ahead, and the disk is small.
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
        // What a killed postmaster leaves notices within moments that it is alone.
        let deadline = Date(timeIntervalSinceNow: 5)
        while !processes.isEmpty, Date() < deadline { usleep(5000) }
        for id in processes { kill(id, SIGQUIT) }
        while !processes.isEmpty, Date() < deadline + 5 { usleep(5000) }
        // A dead postmaster that nobody has reaped yet would pass for a running one.
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

    /// SIGSTOP or SIGCONT to every process of the cluster.
    func signalAll(_ number: Int32) {
        // The postmaster first: it must not make a new one meanwhile.
        if let postmaster { kill(postmaster, number) }
        for id in processes where id != postmaster { kill(id, number) }
    }

    /// Ends all of its processes at once, as when its machine goes.
    func crash() {
        // Also what is stopped: it must not send another byte.
        signalAll(SIGKILL)
    }

    /// Returns when it takes writes, on a timeline of its own.
    func promote() throws {
        try control("promote", ["--wait", "--timeout=60"], seconds: Self.startSecondsMax + 5)
    }

    /// Makes a stopped one that ended in good order a standby of another.
    func follow(_ other: ChaosDatabase) throws {
        try append(["primary_conninfo = '\(other.origin)'", "recovery_target_timeline = latest"])
        try Data().write(to: URL(fileURLWithPath: data + "/standby.signal"))
        try start()
    }

    /// SIGSTOP or SIGCONT to what sends the log to standbys.
    func signalSenders(_ number: Int32) {
        for id in processes {
            let title = try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)
            if title?.contains("walsender") ?? false { kill(id, number) }
        }
    }

    var isRunning: Bool { postmaster != nil }

    /// A signal to one process of the cluster.
    func signal(_ process: Int, _ number: Int32) {
        guard let id = pid_t(exactly: process), processes.contains(id) else { return }
        kill(id, number)
    }

    /// A session for the rig's own purposes; it stays writable and without limits when others are
    /// not.
    func session() throws -> Session {
        try Session(
            url: url + " options='-c default_transaction_read_only=off -c statement_timeout=0"
                + " -c lock_timeout=0 -c idle_in_transaction_session_timeout=0'")
    }

    /// Ends all sessions but that one.
    func terminateSessions(_ session: Session) throws {
        try session.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
                + "where datname = 'sluice' and pid <> pg_backend_pid()")
    }

    /// The end of what the server said.
    var tail: String {
        let text = try? String(contentsOfFile: data + "/../server.log", encoding: .utf8)
        return String((text ?? "").suffix(2000))
    }

    /// Ends it for good.
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

    /// All that have the cluster's directory as their working directory.
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

    /// One of PostgreSQL's programs, as the server's user.
    private func run(_ program: String, _ arguments: [String], seconds: Double) throws {
        let prefix =
            user.map {
                [
                    "/usr/bin/setpriv", "--reuid=\($0)", "--regid=\(group($0))", "--clear-groups",
                    "--",
                ]
            }
            ?? []
        // In a directory that the server's user can enter.
        let words =
            ["/usr/bin/env", "--chdir=/"] + prefix + ["\(programs)/\(program)"]
        try Child.run(words + arguments, seconds: seconds, log: directory + "/command.out")
    }

    private func group(_ user: String) -> String {
        getpwnam(user).map { String($0.pointee.pw_gid) } ?? user
    }
}
