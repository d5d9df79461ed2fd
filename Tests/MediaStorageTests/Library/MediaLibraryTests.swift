import Foundation
import Glibc
import MediaStorage
import NIOCore
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MediaLibraryTests {
    let scratch = Scratch()
    let store: DirectoryStore
    let connection: Connection
    let library: MediaLibrary

    init() throws {
        store = try DirectoryStore(
            path: scratch.path + "/media", graceTime: .seconds(100), threads: 4)
        let settings = try TestCluster.shared.freshDatabase(named: "media")
        connection = try Connection.open(settings, deadline: .now + .seconds(30))
        library = MediaLibrary(store: store, database: Database(settings))
    }

    private func path(_ id: String) throws -> MediaPath {
        try #require(MediaPath(capture: id, file: .photo))
    }

    private func file(_ object: ObjectName) -> String {
        "media/objects/\(object.text.prefix(2))/\(object.text.dropFirst(2))"
    }

    @Test func `what was committed is found and opened`() async throws {
        let stored = try await store.put(Array("abc".utf8))
        let path = try path("1")
        #expect(try await library.open(path) == nil)
        try await library.commit(stored, as: path, contentType: "image/jpeg")
        let media = try #require(try await library.open(path))
        #expect(media.file.object == stored.name && media.file.bytes == 3)
        #expect(media.file.contentType == "image/jpeg" && media.file.path == path)
        #expect(media.file.etag == EntityTag(digest: stored.digest))
        #expect(String(buffer: try await media.source.contents()) == "abc")
        #expect(try await library.remove(path))
        #expect(try await !library.remove(path))
        #expect(try await library.find(path) == nil)
    }

    @Test func `the same path again names the new content`() async throws {
        let path = try path("1")
        let first = try await store.put([1])
        try await library.commit(first, as: path, contentType: "image/png")
        let second = try await store.put([2])
        try await library.commit(second, as: path, contentType: "image/jpeg")
        let found = try #require(try await library.find(path))
        #expect(found.object == second.name && found.contentType == "image/jpeg")
        scratch.age(file(first.name), by: 1000)
        scratch.age(file(second.name), by: 1000)
        var expected = SweepFigures()
        (expected.objectsNamed, expected.objectsRemoved) = (1, 1)
        #expect(try await library.sweep() == expected)
        #expect(scratch.files() == [file(second.name)])
    }

    @Test func `a path of one user is not another's to replace`() async throws {
        let path = try path("1")
        let first = try await store.put([1])
        #expect(try await library.commit(first, as: path, contentType: "a/b", owner: "ann"))
        let second = try await store.put([2])
        #expect(try await !library.commit(second, as: path, contentType: "a/b", owner: "bob"))
        #expect(try await library.find(path)?.object == first.name)
        #expect(try await library.commit(second, as: path, contentType: "a/b", owner: "ann"))
        #expect(try await library.find(path)?.object == second.name)
    }

    @Test func `equal contents under several names are one object`() async throws {
        let text = DirectoryStoreTests.abc
        let digest = try #require(MediaDigest(hex: text))
        // As a bucket makes them.
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

    @Test func `a row whose object is lost is told`() async throws {
        let stored = try await store.put([1])
        try await library.commit(stored, as: try path("1"), contentType: "a/b")
        #expect(unlink(scratch.path + "/" + file(stored.name)) == 0)
        let path = try path("1")
        await #expect(throws: MediaStoreError.missing(stored.name)) {
            try await library.open(path)
        }
    }

    @Test func `two uploads of one file to one path at a time both succeed`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "media")
        let database = Database(settings)
        let stored = try await store.put([1])
        let path = try path("1")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<100 {
                        _ = try await database.withConnection { connection in
                            try MediaCatalog.store(
                                stored, as: path, contentType: "a/b", on: connection)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        database.close()
    }
}
