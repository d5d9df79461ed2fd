import Foundation
import Glibc

/// A separate PgBouncer on 127.0.0.1, in front of a server that listens there.
///
/// Stopped when this object is released, if the test has not stopped it.
public final class TestPooler: @unchecked Sendable {
    // `@unchecked`: nothing changes after `init`, and the methods of `Process` used here are
    // thread-safe.

    /// PgBouncer's `pool_mode`.
    public enum Mode: String, Sendable, CaseIterable {
        /// A client has a session while it is connected.
        case session
        /// A client has a session for one transaction.
        case transaction
        /// A client has a session for one statement.
        case statement
    }

    /// The server's address and the role that writes there.
    public struct Server: Sendable {
        /// The port on 127.0.0.1.
        public var port: Int
        /// The role that all clients use.
        public var user: String
        /// The password; must not contain quotes.
        public var password: String
        /// The database's name, on the server and in the pooler.
        public var database: String

        /// As ``TestCluster/startListeningServer(dataDirectory:password:)`` makes it.
        public init(port: Int, password: String) {
            self.port = port
            self.password = password
            user = "writer"
            database = "telemetry"
        }
    }

    /// The port on which it listens.
    public let port: Int
    private let server: Server
    private let process = Process()
    private let directory: URL

    /// Starts a pooler and waits until it listens.
    ///
    /// - Parameters:
    ///   - port: nil means any free port.
    ///   - settings: lines of the section `[pgbouncer]`.
    public init(
        _ mode: Mode, _ server: Server, port: Int? = nil, settings: [String] = []
    ) throws {
        self.server = server
        self.port = port ?? TestCluster.freePort()
        directory = URL(fileURLWithPath: TestCluster.freshDirectory())
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let file = directory.appendingPathComponent("pgbouncer.ini")
        let text = """
            [databases]
            \(server.database) = host=127.0.0.1 port=\(server.port) user=\(server.user) \
            password=\(server.password)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(self.port)
            unix_socket_dir =
            auth_type = any
            pool_mode = \(mode.rawValue)

            """
        try Data((text + settings.map { $0 + "\n" }.joined()).utf8).write(to: file)
        process.executableURL = URL(fileURLWithPath: Self.program ?? "")
        // PgBouncer does not run as root.
        process.arguments = (geteuid() == 0 ? ["-u", "nobody"] : []) + ["-q", file.path]
        process.environment = ["LD_LIBRARY_PATH": Self.libraries.joined(separator: ":")]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<500 where !isListening {
            guard process.isRunning else { break }
            usleep(20_000)
        }
        guard isListening else { throw CocoaError(.fileReadUnknown) }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Stops it; its clients lose their connections.
    public func stop() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The URL for `DATABASE_URL`.
    ///
    /// - Parameter options: options of PostgreSQL, such as `-c lock_timeout=1s`.
    public func url(options: String? = nil) -> String {
        let query = options.map { options in
            let escaped = options.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            return "?options=\(escaped ?? "")"
        }
        return "postgresql://\(server.user)@127.0.0.1:\(port)/\(server.database)\(query ?? "")"
    }

    private var isListening: Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    // MARK: The program

    /// The directory to which `deploy/install-dependencies` unpacks tools that are not installed.
    private static let tools = Project.file(".build-tools/usr").path()

    /// PgBouncer's path; nil if it is missing.
    public static let program = [
        "/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", tools + "/sbin/pgbouncer",
    ]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The directories of the libraries that were unpacked with it.
    private static var libraries: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: tools + "/lib")
        return (names ?? []).filter { $0.contains("-linux-") }.map { "\(tools)/lib/\($0)" }
    }
}
