import Foundation
import TestSupport
import Testing

/// A `sluice serve` of the binary under test, on a port that the system chose.
///
/// Stopped when this object is released, if the test has not stopped it.
final class RunningServer: @unchecked Sendable {
    // `@unchecked`: everything is set before `start` returns, and the methods of `Process` used
    // here are thread-safe.

    private let process: Process
    private let directory: URL
    let environment: [String: String]
    /// `http://127.0.0.1:PORT`, or `https://…`.
    private(set) var url = ""

    /// The server's data directory.
    var dataDirectory: String { environment["SLUICE_DATA_DIR"] ?? "" }

    private init(
        _ program: String, environment: [String: String], arguments: [String], filesMax: Int?
    ) throws {
        directory = URL(fileURLWithPath: TestCluster.freshDirectory())
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        self.environment = environment
        process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["serve", "--port", "0"] + arguments
        if let filesMax {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "ulimit -n \(filesMax) && exec \"$0\" \"$@\"", program]
                + (process.arguments ?? [])
        }
        process.environment = Subprocess.bareEnvironment.merging(Fixtures.unhurried) { $1 }
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        for name in ["out", "err"] {
            try Data().write(to: directory.appendingPathComponent(name))
        }
        process.standardOutput = try FileHandle(
            forWritingTo: directory.appendingPathComponent("out"))
        process.standardError = try FileHandle(
            forWritingTo: directory.appendingPathComponent("err"))
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: directory)
    }

    /// Starts a server and waits until it reports that it serves.
    ///
    /// - Parameters:
    ///   - filesMax: the hard limit of its open files; nil: that of the tests.
    ///   - program: the binary.
    static func start(
        environment: [String: String], arguments: [String] = [], filesMax: Int? = nil,
        program: String = Subprocess.sluice
    ) async throws -> RunningServer {
        let server = try RunningServer(
            program, environment: environment, arguments: arguments, filesMax: filesMax)
        try server.process.run()
        for file in [server.process.standardOutput, server.process.standardError] {
            try (file as? FileHandle)?.close()
        }
        for _ in 0..<4800 where server.process.isRunning {
            if let url = server.output.firstMatch(of: #/https?://127\.0\.0\.1:\d+/#),
                server.output.contains("Ctrl-C stops it.")
            {
                server.url = String(url.output)
                return server
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("the server did not start: \(server.log)")
        throw CancellationError()
    }

    /// The server's standard output.
    var output: String { read("out") }

    /// The server's standard error.
    var log: String { read("err") }

    private func read(_ name: String) -> String {
        let data = try? Data(contentsOf: directory.appendingPathComponent(name))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Sends a signal and waits for the exit.
    ///
    /// - Returns: the exit code, or 128 and the number of the signal that ended the server; nil
    ///   if it did not end in two minutes.
    func end(_ number: Int32 = SIGINT) async throws -> Int32? {
        kill(process.processIdentifier, number)
        for _ in 0..<2400 {
            if !process.isRunning {
                return process.terminationReason == .exit
                    ? process.terminationStatus : 128 + process.terminationStatus
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    var isRunning: Bool { process.isRunning }

    /// The process id of the server.
    var processID: Int32 { process.processIdentifier }

    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Sends a body to `/ingest` with curl.
    func post(
        _ body: String, key: String? = "test-key", _ more: String...
    ) async throws -> Answer {
        let credentials = key.map { ["-H", "X-API-Key: \($0)"] } ?? []
        return try await Answer.curl(
            ["-X", "POST", url + "/ingest", "-H", "Content-Type: application/json"] + credentials
                + ["--data-binary", "@-"] + more, input: body)
    }

    /// Sends a form of text fields with curl.
    func send(form fields: [String: String], to path: String) async throws -> Answer {
        try await Answer.curl([url + path] + fields.flatMap { ["-F", "\($0)=\($1)"] })
    }

    func get(_ path: String) async throws -> Answer {
        try await Answer.curl([url + path])
    }

    /// Whether nothing waits in the spool any more.
    func hasReplayed() async throws -> Bool {
        try await get("/metrics").body.contains("\nsluice_spool_waiting_readings 0\n")
    }
}
