import ArgumentParser
import Foundation
import Load
import Oracle

/// A Sluice for the benchmark: temporary data directory, private cluster, free port, one known
/// key.
final class ServerUnderTest {
    let port: Int
    let key = "bench-\(UInt64.random(in: .min ... .max))"
    /// Users' tokens are signed with it.
    let tokenSecret = "bench-\(UInt128.random(in: .min ... .max))-secret-of-enough-bytes"
    /// Connection string of the database, for libpq.
    private(set) var database = ""
    private let process = Process()
    private let binary: String
    private let environment: [String: String]
    private let directory: URL
    private let log: URL

    private static let startSecondsMax = 120.0
    private static let stopSecondsMax = 60.0
    private static let commandSecondsMax = 600.0

    /// - Parameter database: of the server, if `settings` name one: the way to it without them.
    init(binary: String, settings: [String], database: String? = nil) throws {
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw ValidationError(
                "No server at '\(binary)': build it with `swift build -c release`, or set --sluice."
            )
        }
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent(
                "sluice-bench-\(getpid())-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        log = directory.appendingPathComponent("server.out")
        try Data().write(to: log)
        port = try Self.freePort()
        var environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("SLUICE_") && $0.key != "DATABASE_URL"
        }
        environment["SLUICE_DATA_DIR"] = directory.appendingPathComponent("data").path
        environment["SLUICE_HOST"] = "127.0.0.1"
        environment["SLUICE_PORT"] = String(port)
        environment["INGEST_API_KEY"] = key
        environment["SLUICE_JWT_SECRET"] = tokenSecret
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ValidationError("--setting must be KEY=value.") }
            environment[parts[0]] = parts[1]
        }
        self.binary = binary
        self.environment = environment
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = ["serve"]
        process.environment = environment
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        do {
            try awaitHealth()
            self.database = try database ?? readDatabase()
            try Self.age(Session(url: self.database))
        } catch {
            stop()
            throw error
        }
    }

    /// Resident memory in bytes.
    var residentBytes: Int { Self.residentBytes(at: memoryPath) }

    /// The kernel's file with the memory of the process.
    var memoryPath: String { "/proc/\(process.processIdentifier)/statm" }

    static func residentBytes(at path: String) -> Int {
        let fields = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ")
        return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(getpagesize())
    }

    /// Runs a command of the server's binary to its end, with the server's settings.
    func command(_ arguments: [String]) throws {
        _ = try Child.run(
            [binary] + arguments, seconds: Self.commandSecondsMax,
            log: directory.appendingPathComponent("command.out").path, environment: environment)
    }

    /// Processor time of the private cluster so far, in seconds: of the postmaster, of its processes
    /// and of those that have ended.
    func databaseSeconds() throws -> Double {
        let file = directory.appendingPathComponent("data/postgres/data/postmaster.pid")
        let line = try String(contentsOf: file, encoding: .utf8).prefix { $0 != "\n" }
        guard let postmaster = Int(line) else {
            throw ValidationError("No process in \(file.path).")
        }
        var ticks = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            // "pid (name) state ppid …"; a process may be gone.
            guard let id = Int(name),
                let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let end = text.lastIndex(of: ")")
            else { continue }
            let fields = text[end...].split(separator: " ").map { Int($0) ?? 0 }
            guard fields.count > 15, id == postmaster || fields[2] == postmaster else { continue }
            ticks += fields[12] + fields[13]
            if id == postmaster { ticks += fields[14] + fields[15] }
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Asks the server to drain and stop, then removes its files.
    func stop() {
        if process.isRunning { process.terminate() }
        let end = Date(timeIntervalSinceNow: Self.stopSecondsMax)
        while process.isRunning, Date() < end { usleep(20_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    private func awaitHealth() throws {
        let end = Date(timeIntervalSinceNow: Self.startSecondsMax)
        while Date() < end {
            guard process.isRunning else { break }
            if HealthProbe(port: port).isHealthy { return }
            usleep(50_000)
        }
        let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        throw ValidationError("The server did not become healthy. Its log:\n\(said.suffix(4000))")
    }

    /// Gives the cluster as many write-ahead log files as a cluster has that has run for a while.
    /// Such a cluster's checkpoints keep `min_wal_size` of files to be overwritten. In a new
    /// cluster, the backend that first needs another file fills it with zeros and syncs it: three
    /// times a second at 400 000 readings a second.
    private static func age(_ session: Session) throws {
        let kept = try session.number(
            "select pg_size_bytes(current_setting('min_wal_size'))"
                + " / pg_size_bytes(current_setting('wal_segment_size'))")
        for _ in 0..<kept {
            // PostgreSQL does not switch a file that has no record.
            try session.execute("select pg_logical_emit_message(true, 'bench', '')")
            try session.execute("select pg_switch_wal()")
        }
        try session.execute("checkpoint")
    }

    /// PostgreSQL writes the directory of its socket into the fifth line of `postmaster.pid`.
    private func readDatabase() throws -> String {
        let file = directory.appendingPathComponent("data/postgres/data/postmaster.pid")
        let lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 4, !lines[4].isEmpty else {
            throw ValidationError("No socket directory in \(file.path).")
        }
        return "host=\(lines[4]) port=\(lines[3]) user=sluice dbname=sluice"
    }

    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard bound else { throw ValidationError("No free port on loopback.") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// One `GET /health`.
struct HealthProbe {
    let port: Int

    var isHealthy: Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected else { return false }
        let request = "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        guard send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else {
            return false
        }
        var answer = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor, &answer, answer.count, 0)
        return count > 12 && answer[9..<12].elementsEqual("200".utf8)
    }
}
