import Foundation
import TestSupport

/// The relay of `Clients/badnetwork.py` between clients and a server, both on loopback.
final class BadNetwork {
    /// Of `/ingest`, through the relay.
    let url: String
    private let process = Process()
    private let commands = Pipe()
    private let answers = Pipe()
    /// Answers of the server that no client got.
    private(set) var answersLost = 0

    init(toPort port: Int) throws {
        let own = TestCluster.freePort()
        url = "http://127.0.0.1:\(own)/ingest"
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", Project.file("Tests/ServerTests/Clients/badnetwork.py").path, "\(own)",
            "\(port)",
        ]
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
        // It says that it listens.
        _ = answers.fileHandleForReading.availableData
    }

    deinit {
        try? commands.fileHandleForWriting.close()
        if process.isRunning { kill(process.processIdentifier, SIGTERM) }
    }

    /// `rough`, `off` or `calm`.
    func become(_ mode: String) throws {
        try commands.fileHandleForWriting.write(contentsOf: Data("\(mode)\n".utf8))
        let answer = String(
            decoding: answers.fileHandleForReading.availableData, as: UTF8.self)
        answersLost = Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)) ?? answersLost
    }
}
