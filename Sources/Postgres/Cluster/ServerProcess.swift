import Glibc

/// The server's process, found through its pid file and `/proc`.
///
/// All processes of a server have its data directory as their working directory; so a pid file
/// whose number now belongs to somebody else is told apart, and backends that outlive their
/// postmaster are found.
struct ServerProcess {
    let id: Int32
    /// Where its socket is, which need not be where we would put it today. Nil when it has none,
    /// or has just been started and does not say yet.
    let socketDirectory: String?
    /// Part of the socket's name; an operator may have changed it by ALTER SYSTEM.
    let port: Int

    /// - Parameter data: absolute, without links.
    /// - Returns: nil when no server runs there.
    static func find(inDirectory data: String) -> ServerProcess? {
        // Lines: pid, directory, start time, port, socket directory, …
        guard let text = Files.read(data + "/postmaster.pid") else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 5, let id = Int32(lines[0]), let port = Int(lines[3]),
            isRunning(id, in: data)
        else { return nil }
        let directory = lines[4].isEmpty ? nil : String(lines[4])
        return ServerProcess(id: id, socketDirectory: directory, port: port)
    }

    /// Processes that work in `data`, postmaster and backends.
    static func all(inDirectory data: String) -> [Int32] {
        Files.list("/proc").compactMap { Int32($0) }.filter { isRunning($0, in: data) }
    }

    /// A process that has exited and waits to be reaped has no working directory: not running.
    static func isRunning(_ id: Int32, in data: String) -> Bool {
        Files.linkTarget("/proc/\(id)/cwd") == data
    }

    /// Waits until no process works in `data`.
    static func awaitNone(inDirectory data: String, limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while !all(inDirectory: data).isEmpty {
            guard ContinuousClock.now < deadline else { return false }
            usleep(10_000)
        }
        return true
    }

    /// Clears what a server that was killed left: backends that have not noticed yet, and lock
    /// files whose number a stranger has now, or a dead process that nobody reaps (a container
    /// without an init): PostgreSQL would take either for a running server.
    ///
    /// Call it when ``find(inDirectory:)`` gives nil.
    static func clearRemains(
        inDirectory data: String, socketDirectory: String
    ) throws(ClusterError) {
        if !awaitNone(inDirectory: data, limit: .seconds(5)) {
            for id in all(inDirectory: data) { kill(id, SIGQUIT) }
            guard awaitNone(inDirectory: data, limit: .seconds(5)) else {
                throw .backendsLeft(path: data, processIDs: all(inDirectory: data))
            }
        }
        let socketLocks = Files.list(socketDirectory).filter {
            $0.hasPrefix(".s.PGSQL.") && $0.hasSuffix(".lock")
        }
        for file in [data + "/postmaster.pid"] + socketLocks.map({ socketDirectory + "/" + $0 }) {
            let id = Files.read(file).flatMap { Int32($0.prefix { $0.isNumber }) }
            if let id, kill(id, 0) == 0 { unlink(file) }
        }
    }

    /// Asks for a fast shutdown, then for an immediate one. A server that somebody has stopped
    /// (SIGSTOP) hears neither until it goes on.
    ///
    /// - Returns: whether it ended.
    func stop(inDirectory data: String, limit: Duration) -> Bool {
        kill(id, SIGINT)
        kill(id, SIGCONT)
        if Self.awaitNone(inDirectory: data, limit: limit) { return true }
        kill(id, SIGQUIT)
        return Self.awaitNone(inDirectory: data, limit: .seconds(10))
    }
}
