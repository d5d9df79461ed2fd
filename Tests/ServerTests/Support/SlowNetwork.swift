import Foundation
import Postgres
import TestSupport
import Testing

/// The relay of the benchmarks between a server and its database. Ends when it is released.
final class SlowNetwork {
    /// The database, through the relay.
    let settings: ConnectionSettings
    private let process = Process()
    private let commands = Pipe()
    private let directory: String

    /// - Parameter database: on a Unix socket.
    init(to database: ConnectionSettings) async throws {
        directory = TestCluster.freshDirectory()
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        settings = ConnectionSettings(
            socketDirectory: directory, user: try #require(database.user),
            database: try #require(database.database))
        let target =
            "\(try #require(database.host))/.s.PGSQL.\(database.port ?? "5432")"
        process.executableURL = URL(fileURLWithPath: try #require(CaptureClient.python))
        process.arguments = [
            Project.file("Benchmarks/Distance/relay.py").path,
            "\(directory)/.s.PGSQL.5432", target,
        ]
        process.standardInput = commands
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // It says that it listens.
        _ = output.fileHandleForReading.availableData
    }

    deinit {
        try? commands.fileHandleForWriting.close()
        if process.isRunning { kill(process.processIdentifier, SIGTERM) }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// See the relay for its commands.
    func become(_ lines: String...) throws {
        try commands.fileHandleForWriting.write(
            contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    }
}
