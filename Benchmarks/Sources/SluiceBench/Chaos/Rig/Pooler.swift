import Foundation

/// PgBouncer between Sluice and the database. Both sockets are in directories of the rig.
final class Pooler {
    /// The directory of its own socket.
    let directory: String
    private let target: String
    private var child: Child?

    private static let startSecondsMax = 10.0

    /// Why there is no PgBouncer here; nil if there is.
    static var obstacle: String? {
        binary == nil ? "PgBouncer is not installed: run deploy/install-dependencies test" : nil
    }

    private static let binary: String? = [
        "/usr/sbin/pgbouncer", ProjectRoot.path + "/.build-tools/usr/sbin/pgbouncer",
    ].first { FileManager.default.isExecutableFile(atPath: $0) }

    /// - Parameters:
    ///   - directory: a directory for its files, which it makes.
    ///   - socketDirectory: the directory of the database's socket.
    init(directory: String, to socketDirectory: String) throws {
        self.directory = directory
        target = socketDirectory
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o777])
    }

    /// Starts it, and waits for its socket.
    ///
    /// - Parameter mode: PgBouncer's `pool_mode`.
    func start(mode: String) throws {
        let file = directory + "/pgbouncer.ini"
        try """
        [databases]
        sluice = host=\(target) port=5432 user=sluice
        [pgbouncer]
        listen_addr =
        unix_socket_dir = \(directory)
        listen_port = 5432
        auth_type = any
        pool_mode = \(mode)
        default_pool_size = 50
        ignore_startup_parameters = options
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let log = directory + "/pgbouncer.out"
        // PgBouncer refuses to run as root.
        let user = geteuid() == 0 ? ["-u", "postgres"] : []
        let libraries = ProjectRoot.path + "/.build-tools/usr/lib/x86_64-linux-gnu"
        child = try Child(
            [Self.binary ?? ""] + user + ["-q", file],
            environment: ["LD_LIBRARY_PATH": libraries], output: log)
        let deadline = Date(timeIntervalSinceNow: Self.startSecondsMax)
        while !FileManager.default.fileExists(atPath: directory + "/.s.PGSQL.5432") {
            guard child?.isRunning ?? false, Date() < deadline else {
                throw ChaosFailure.commandFailed(
                    program: "pgbouncer", status: "did not start",
                    output: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
            }
            usleep(10_000)
        }
    }

    /// Kills it; its clients lose their connections.
    func stop() {
        child?.kill9()
        child = nil
        unlink(directory + "/.s.PGSQL.5432")
        unlink(directory + "/.s.PGSQL.5432.lock")
    }
}
