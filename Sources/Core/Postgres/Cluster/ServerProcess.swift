import Glibc
import Processes

/// The server's process, found through its pid file and `/proc`.
///
/// All processes of a server have its data directory as their working directory. So a pid file
/// whose number now belongs to another program is recognised, and backends that outlive their
/// postmaster are found.
struct ServerProcess {
    let id: Int32
    /// The directory of its socket, which may differ from the one that we would choose now. Nil
    /// if it has no socket, or if it was just started and has not written the directory yet.
    let socketDirectory: String?
    /// Part of the socket's name; an operator may have changed it by ALTER SYSTEM.
    let port: Int
    /// Whether it also listens on TCP.
    let listens: Bool

    /// - Parameter data: absolute, without links.
    /// - Returns: nil when no server runs there.
    static func find(inDirectory data: String) -> ServerProcess? {
        // Lines: pid, directory, start time, port, socket directory, address, …
        guard let text = ClusterFiles.read(data + "/postmaster.pid") else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 5, let id = Int32(lines[0]), let port = Int(lines[3]),
            isRunning(id, in: data)
        else { return nil }
        let directory = lines[4].isEmpty ? nil : String(lines[4])
        return ServerProcess(
            id: id, socketDirectory: directory, port: port,
            listens: lines.count > 5 && !lines[5].isEmpty)
    }

    /// Processes that work in `data`, postmaster and backends.
    static func all(inDirectory data: String) -> [Int32] {
        ClusterFiles.list("/proc").compactMap { Int32($0) }.filter { isRunning($0, in: data) }
    }

    /// A process that has exited and waits to be reaped has no working directory: not running.
    ///
    /// Only root may see the working directory of a process in another user namespace, such as
    /// systemd's `PrivateUsers` makes. Everybody may read the server's command line, which names
    /// the directory.
    static func isRunning(_ id: Int32, in data: String) -> Bool {
        if let directory = ClusterFiles.linkTarget("/proc/\(id)/cwd") { return directory == data }
        let words = (ClusterFiles.read("/proc/\(id)/cmdline") ?? "").split(separator: "\0")
        return zip(words, words.dropFirst()).contains { $0 == "-D" && $1 == data }
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

    /// Removes the remains of a killed server: backends that have not noticed yet, and lock files
    /// whose process id now belongs to another program or to a zombie (in a container without an
    /// init). PostgreSQL would take either for a running server.
    ///
    /// Call it only if ``find(inDirectory:)`` returns nil.
    static func clearRemains(
        inDirectory data: String, socketDirectory: String
    ) throws(ClusterError) {
        if !awaitNone(inDirectory: data, limit: .seconds(5)) {
            for id in all(inDirectory: data) { kill(id, SIGQUIT) }
            guard awaitNone(inDirectory: data, limit: .seconds(5)) else {
                throw .backendsLeft(path: data, processIDs: all(inDirectory: data))
            }
        }
        let socketLocks = ClusterFiles.list(socketDirectory).filter {
            $0.hasPrefix(".s.PGSQL.") && $0.hasSuffix(".lock")
        }
        for file in [data + "/postmaster.pid"] + socketLocks.map({ socketDirectory + "/" + $0 }) {
            let id = ClusterFiles.read(file).flatMap { Int32($0.prefix { $0.isNumber }) }
            if let id, kill(id, 0) == 0 { unlink(file) }
        }
    }

    /// Asks for a fast shutdown, then for an immediate one. A server paused by SIGSTOP
    /// would not react to either, so it is also continued.
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
