import Foundation
import Ingest
import Logging
import Postgres
import SpoolLog
import Synchronization
import TestSupport
import Testing

/// The spool's directory is removed while the server runs.
@Suite struct SpoolDirectoryTests {
    /// Keeps log lines above the level of a warning.
    struct Listener: LogHandler {
        final class Lines: Sendable {
            private let lines = Mutex<[String]>([])

            func append(_ line: String) { lines.withLock { $0.append(line) } }
            var all: [String] { lines.withLock { $0 } }
        }

        let lines = Lines()
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            if event.level >= .error { lines.append("\(event.level): \(event.message)") }
        }
    }

    @Test(arguments: [false, true])
    func `nothing more is acknowledged, and earlier batches are replayed`(
        isMadeAgain: Bool
    ) async throws {
        let data = TestCluster.freshDirectory(isServers: true)
        let cluster = try TestCluster.startServer(dataDirectory: data)
        let connection = try Connection.open(cluster.settings, deadline: .now + .seconds(30))
        _ = try Migrator().run(on: connection)
        connection.close()
        let path = SpoolTests.directory()
        let listener = Listener()
        let bench = await Bench(
            cluster.settings, SpoolTests.hasty, spool: try SpoolTests.spool(path), log: listener)
        try cluster.stop()
        for number in 0..<10 {
            #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(number)])) == .spooled)
        }
        try FileManager.default.removeItem(atPath: path)
        if isMadeAgain {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
        }
        for number in 10..<60 {
            let outcome = try await bench.post(Bodies.batch("d", [Bodies.vital(number)]))
            guard case .unavailable = outcome else {
                Issue.record("\(outcome) for number \(number)")
                break
            }
        }
        try await SpoolTests.eventually { !bench.ingestor.isAvailable }
        // The spool checks its directory many times in this time.
        try await Task.sleep(for: .milliseconds(500))
        #expect(!bench.ingestor.isAvailable)
        #expect(bench.ingestor.refusal(forBytes: 1, of: nil) != nil)
        #expect(bench.ingestor.spoolFigures?.records == 10)
        #expect(listener.lines.all.count == 1)
        #expect(listener.lines.all.first?.contains("directory was removed") == true)
        let again = try TestCluster.startServer(dataDirectory: data)
        try await SpoolTests.eventually {
            bench.ingestor.spoolFigures?.records == 0 && bench.ingestor.isDatabaseUp
        }
        #expect(try bench.count("sluice.vital") == 10)
        try await bench.store(Bodies.batch("d", [Bodies.vital(99)]))
        await bench.finish()
        #expect(listener.lines.all.count == 1)
        try again.stop()
        try? PrivateCluster.discard(dataDirectory: data)
        try? FileManager.default.removeItem(atPath: path)
    }
}
