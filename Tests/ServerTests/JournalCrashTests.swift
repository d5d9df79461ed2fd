import Foundation
import Media
import Postgres
import TestSupport
import Testing

/// The server is killed while forms arrive; afterwards no record is incomplete.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: JournalClient.isThere, "no Python or ffmpeg: deploy/install-dependencies test"))
struct JournalCrashTests {
    private static let rows = "sluice.media_file where path like 'journal/%'"

    private func files(_ server: RunningServer, _ name: String) -> [String] {
        let directory = server.dataDirectory + "/media/" + name
        let paths = FileManager.default.enumerator(atPath: directory)?.allObjects as? [String]
        return (paths ?? []).map { directory + "/" + $0 }.filter { path in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }
    }

    /// Does the work of the hourly sweep, as if an hour had passed.
    private func sweep(
        _ server: RunningServer, _ settings: ConnectionSettings
    ) async throws -> SweepFigures {
        for path in files(server, "incoming") + files(server, "objects") {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -30_000)], ofItemAtPath: path)
        }
        let database = Database(settings)
        let store = try DirectoryStore(path: server.dataDirectory + "/media", threads: 2)
        let figures = try await MediaLibrary(store: store, database: database).sweep()
        database.close()
        await store.shutdown()
        return figures
    }

    /// Every row's file exists and every file has a row.
    private func expectWhole(_ server: RunningServer, _ settings: ConnectionSettings) throws {
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        let rows = try connection.query("select distinct object from sluice.media_file")
        let named = Set((0..<rows.count).map { rows.string($0, 0) })
        let stored = Set(
            files(server, "objects").map { path in
                path.split(separator: "/").suffix(2).joined()
            })
        #expect(named == stored)
        #expect(files(server, "incoming").isEmpty)
    }

    @Test func `a kill in the middle of a form leaves nothing of it`() async throws {
        let (environment, settings) = try Fixtures.environment("half")
        let server = try await RunningServer.start(environment: environment)
        let url = server.url
        let client = Task { try await JournalClient.run("half", url) }
        let isUnderWay = try await eventually(every: .milliseconds(50)) {
            files(server, "incoming").count == 2
        }
        #expect(isUnderWay, "\(server.log)")
        // Files are kept back until the form ends, since keepLocation may still follow.
        #expect(files(server, "objects").isEmpty)
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
        try await client.value
        #expect(try Fixtures.count(Self.rows, settings) == 0)
        let again = try await RunningServer.start(environment: environment)
        let figures = try await sweep(again, settings)
        #expect(figures.objectsRemoved == 0 && figures.leftoversRemoved == 2)
        try expectWhole(again, settings)
        #expect(try await again.end() == 0)
    }

    @Test func `a kill between the files and the commit leaves nothing of them`() async throws {
        let (environment, settings) = try Fixtures.environment("between")
        let server = try await RunningServer.start(environment: environment)
        // The files become durable, and their rows wait for the lock.
        let lock = try Connection.open(settings, deadline: .now + .seconds(60))
        try lock.execute("begin")
        try lock.execute("lock table sluice.media_file in access exclusive mode")
        let place = TestCluster.freshDirectory()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let url = server.url
        let client = Task { try await JournalClient.run("write", url, place) }
        let isDurable = try await eventually(every: .milliseconds(50)) {
            files(server, "objects").count == 9 && files(server, "incoming").isEmpty
        }
        #expect(isDurable, "\(server.log)")
        #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
        try lock.execute("rollback")
        lock.close()
        try await client.value
        let again = try await RunningServer.start(environment: environment)
        #expect(try Fixtures.count(Self.rows, settings) == 0)
        #expect(try await sweep(again, settings).objectsRemoved == 9)
        try expectWhole(again, settings)
        try await JournalClient.run("check", again.url, place)
        #expect(try await again.end() == 0)
    }

    @Test func `after a kill at any time, every acknowledged record is complete`() async throws {
        let (environment, settings) = try Fixtures.environment("kills")
        let place = TestCluster.freshDirectory()
        defer { try? FileManager.default.removeItem(atPath: place) }
        for delay in [300, 700, 1100, 1600] {
            let server = try await RunningServer.start(environment: environment)
            let (url, user) = (server.url, "user\(delay)")
            let client = Task { try await JournalClient.run("write", url, place, user) }
            let isWriting = try await eventually(every: .milliseconds(50)) {
                !files(server, "incoming").isEmpty
            }
            #expect(isWriting, "\(server.log)")
            try await Task.sleep(for: .milliseconds(delay))
            #expect(try await server.end(SIGKILL) == 128 + SIGKILL)
            try await client.value
            let again = try await RunningServer.start(environment: environment)
            _ = try await sweep(again, settings)
            try expectWhole(again, settings)
            try await JournalClient.run("check", again.url, place, user)
            #expect(try await again.end() == 0)
            try FileManager.default.removeItem(atPath: place)
        }
    }
}
