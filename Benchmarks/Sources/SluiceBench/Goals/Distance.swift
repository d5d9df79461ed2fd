import ArgumentParser
import Foundation

/// A network between a server and its database, which delivers each byte later: the process of
/// `Benchmarks/Distance/relay.py`.
final class Distance {
    /// Connection string of the database, through the relay.
    let database: String
    private let directory: URL
    private let process = Process()
    private let commands = Pipe()

    /// - Parameter server: whose private cluster is reached through the relay.
    init(to server: ServerUnderTest) throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-distance-\(getpid())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var place: [String: String] = [:]
        for word in server.database.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            place[parts[0]] = parts[1]
        }
        guard let host = place["host"], let port = place["port"], let user = place["user"],
            let name = place["dbname"]
        else { throw ValidationError("No socket in '\(server.database)'.") }
        let path = directory.path
        database = "postgresql://\(user)@/\(name)?host=\(path)&port=\(port)"
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", ProjectRoot.path + "/Benchmarks/Distance/relay.py",
            "\(path)/.s.PGSQL.\(port)", "\(host)/.s.PGSQL.\(port)",
        ]
        process.standardInput = commands
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        guard !output.fileHandleForReading.availableData.isEmpty else {
            throw ValidationError("The relay did not start.")
        }
    }

    /// - Parameter delay: each way, in milliseconds.
    func set(delay: Double) throws {
        try commands.fileHandleForWriting.write(contentsOf: Data("delay=\(delay / 1000)\n".utf8))
    }

    func stop() {
        try? commands.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }
}
