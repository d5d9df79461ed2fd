import Foundation
import Glibc
import Media
import NIOCore
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MediaLibraryTests {
    let scratch = Scratch()
    let store: DirectoryStore
    let connection: Connection
    let database: Database
    let library: MediaLibrary

    init() throws {
        store = try DirectoryStore(
            path: scratch.path + "/media", graceTime: .seconds(100), threads: 4)
        let settings = try TestCluster.shared.freshDatabase(named: "media")
        connection = try Connection.open(settings, deadline: .now + .seconds(30))
        database = Database(settings)
        library = MediaLibrary(store: store, database: database)
    }

    private func path(_ id: String) throws -> MediaPath {
        try #require(MediaPath("memories/\(id)/photo.jpg"))
    }

    private func file(_ object: ObjectName) -> String {
        "media/objects/\(object.text.prefix(2))/\(object.text.dropFirst(2))"
    }

    @Test func `a committed file is found and opened`() async throws {
        let stored = try await store.put(Array("abc".utf8))
        let path = try path("1")
        #expect(try await library.open(path) == nil)
        try await database.commit(stored, as: path, contentType: "image/jpeg")
        let media = try #require(try await library.open(path))
        #expect(media.file.object == stored.name && media.file.bytes == 3)
        #expect(media.file.contentType == "image/jpeg" && media.file.path == path)
        #expect(media.file.etag == EntityTag(digest: stored.digest))
        #expect(String(buffer: try await media.source.contents()) == "abc")
        try connection.execute("delete from sluice.media_file")
        #expect(try await library.find(path) == nil)
    }

    @Test func `the same path again names the new content`() async throws {
        let path = try path("1")
        let first = try await store.put([1])
        try await database.commit(first, as: path, contentType: "image/png")
        let second = try await store.put([2])
        try await database.commit(second, as: path, contentType: "image/jpeg")
        let found = try #require(try await library.find(path))
        #expect(found.object == second.name && found.contentType == "image/jpeg")
        scratch.age(file(first.name), by: 1000)
        scratch.age(file(second.name), by: 1000)
        var expected = SweepFigures()
        (expected.objectsNamed, expected.objectsRemoved) = (1, 1)
        #expect(try await library.sweep() == expected)
        #expect(scratch.files() == [file(second.name)])
    }

    @Test func `one user can't replace another user's path`() async throws {
        let path = try path("1")
        let first = try await store.put([1])
        #expect(try await database.commit(first, as: path, contentType: "a/b", owner: "ann"))
        let second = try await store.put([2])
        #expect(try await !database.commit(second, as: path, contentType: "a/b", owner: "bob"))
        #expect(try await library.find(path)?.object == first.name)
        #expect(try await database.commit(second, as: path, contentType: "a/b", owner: "ann"))
        #expect(try await library.find(path)?.object == second.name)
    }

    @Test func `equal contents under several names are one object`() async throws {
        let text = DirectoryStoreTests.abc
        let digest = try #require(MediaDigest(hex: text))
        // As a bucket names them.
        let names = try (1...3).map { try #require(ObjectName("\(text)-000000000000000\($0)")) }
        for (number, name) in names.enumerated() {
            let object = StoredObject(name: name, bytes: 3, type: nil)
            let named = try MediaCatalog.store(
                object, as: try path("\(number)"), contentType: "a/b", on: connection)
            #expect(named == names[0])
        }
        #expect(try MediaCatalog.named(among: names, on: connection) == [names[0]])
        #expect(digest == names[0].digest)
    }

    @Test func `a row whose object is lost is reported`() async throws {
        let stored = try await store.put([1])
        try await database.commit(stored, as: try path("1"), contentType: "a/b")
        #expect(unlink(scratch.path + "/" + file(stored.name)) == 0)
        let path = try path("1")
        await #expect(throws: MediaStoreError.missing(stored.name)) {
            try await library.open(path)
        }
    }

    /// All wait for a row that is deleted, and then find another row there that none of them has
    /// locked.
    @Test func `simultaneous uploads of one file to one path all succeed`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "media")
        let other = try Connection.open(settings, deadline: .now + .seconds(600))
        var limits = Database.Limits()
        limits.connectionsMax = 8
        let database = Database(settings, limits: limits)
        let stored = try await store.put([1])
        let path = try path("1")
        @Sendable func upload(_ connection: Connection) throws {
            let named = try MediaCatalog.store(stored, as: path, contentType: "a/b", on: connection)
            #expect(named == stored.name)
        }
        try upload(other)
        for _ in 0..<20 {
            try other.execute("BEGIN")
            try other.execute("delete from sluice.media_file")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<limits.connectionsMax {
                    group.addTask { try await database.withConnection(upload) }
                }
                try await Self.awaitWaiting(limits.connectionsMax, on: other)
                try upload(other)
                try other.execute("COMMIT")
                try await group.waitForAll()
            }
        }
        database.close()
        other.close()
    }

    private static func awaitWaiting(_ count: Int, on connection: Connection) async throws {
        let isSo = try await eventually {
            // Inside a transaction a fresh snapshot is needed.
            try connection.execute("SELECT pg_stat_clear_snapshot()")
            return try connection.query(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                    + "AND datname = current_database()"
            ).int64(0, 0) == count
        }
        #expect(isSo, "not all wait for the row")
    }

    @Test func `a path keeps its object for content that it already has`() throws {
        let digest = DirectoryStoreTests.abc
        // As a bucket names them.
        let names = try (1...3).map { try #require(ObjectName("\(digest)-000000000000000\($0)")) }
        func store(_ name: ObjectName, _ path: String) throws -> ObjectName? {
            try MediaCatalog.store(
                StoredObject(name: name, bytes: 3, type: nil), as: try self.path(path),
                contentType: "a/b", on: connection)
        }
        #expect(try store(names[0], "1") == names[0])
        #expect(try store(names[1], "1") == names[0])
        // Another path, which had other content, gets the existing object.
        let other = try #require(
            ObjectName(String(repeating: "1", count: 64) + "-0000000000000004"))
        #expect(try store(other, "2") == other)
        #expect(try store(names[2], "2") == names[0])
        #expect(try MediaCatalog.find(try path("2"), on: connection)?.object == names[0])
    }
}

extension Database {
    /// Commits a row for the object.
    ///
    /// - Returns: false when the path is another user's.
    @discardableResult
    func commit(
        _ object: StoredObject, as path: MediaPath, contentType: String, owner: String? = nil
    ) async throws -> Bool {
        try await withConnection {
            try MediaCatalog.store(
                object, as: path, contentType: contentType, owner: owner, on: $0) != nil
        }
    }
}
