import Foundation
import Glibc
import Media
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DirectorySweepTests {
    let scratch = Scratch()
    let store: DirectoryStore

    init() throws {
        store = try DirectoryStore(
            path: scratch.path + "/media", graceTime: .seconds(100), threads: 8)
    }

    private func file(_ object: ObjectName) -> String {
        "media/objects/\(object.text.prefix(2))/\(object.text.dropFirst(2))"
    }

    @Test func `only objects older than the grace time are listed and removed`() async throws {
        let young = try await store.put([1]).name
        let old = try await store.put([2]).name
        scratch.age(file(old), by: 102)
        #expect(
            try await store.oldObjects(after: nil, limit: 10)
                == ObjectPage(objects: [old], next: nil))
        #expect(try await !store.isOld(young))
        #expect(try await store.isOld(old))
        #expect(try await !store.removeOld(young))
        #expect(try await store.removeOld(old))
        #expect(try await !store.removeOld(old))
        #expect(try await !store.isOld(old))
        #expect(scratch.files() == [file(young)])
    }

    @Test func `pages follow each other through all directories`() async throws {
        var names: [ObjectName] = []
        for number in 0..<40 {
            let name = try await store.put([UInt8(number)]).name
            scratch.age(file(name), by: 1000)
            names.append(name)
        }
        for limit in [1, 7, 40, 41] {
            var listed: [ObjectName] = []
            var last: ObjectName?
            repeat {
                let page = try await store.oldObjects(after: last, limit: limit)
                #expect(page.objects.count <= limit)
                listed += page.objects
                last = page.next
            } while last != nil
            #expect(listed == names.sorted())
        }
    }

    @Test func `the same upload again, or a renewal, makes an old object young`() async throws {
        let name = try await store.put([1]).name
        scratch.age(file(name), by: 1000)
        _ = try await store.put([1])
        #expect(try await !store.removeOld(name))
        scratch.age(file(name), by: 1000)
        #expect(try await store.renew(name))
        #expect(try await !store.removeOld(name))
    }

    @Test func `foreign files are left alone`() async throws {
        let foreign = scratch.path + "/media/objects/aa/README"
        try Data().write(to: URL(fileURLWithPath: foreign))
        scratch.age("media/objects/aa/README", by: 1000)
        #expect(try await store.oldObjects(after: nil, limit: 10).objects == [])
    }

    @Test func `leftovers of crashed uploads are removed, uploads in progress stay`() async throws {
        let incoming = scratch.path + "/media/incoming"
        let crashed = incoming + "/0123"
        try Data([1, 2]).write(to: URL(fileURLWithPath: crashed))
        // It may be an upload that has no lock yet.
        #expect(try await store.removeLeftovers() == 0)
        scratch.age("media/incoming/0123", by: 61)
        let writer = try await store.begin()
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: incoming)
                .first { $0 != "0123" })
        scratch.age("media/incoming/\(name)", by: 1_000_000)
        #expect(try await store.removeLeftovers() == 1)
        #expect(scratch.files() == ["media/incoming/\(name)"])
        _ = try await writer.finish()
    }

    private final class Race: Sendable {
        let removed = Atomic(0)
        let isOver = Atomic(false)
    }

    /// Concurrent uploads and removals of one digest: an upload that finished within the grace time
    /// always finds the object. Removals see the object as old, because the test sets its time back
    /// again and again.
    @Test func `an upload that has finished is never swept`() async throws {
        let bytes = Array("contended".utf8)
        let name = try await store.put(bytes).name
        let store = store
        let path = scratch.path + "/" + file(name)
        let race = Race()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    while !race.isOver.load(ordering: .relaxed) {
                        if try await store.removeOld(name) {
                            race.removed.add(1, ordering: .relaxed)
                        }
                    }
                }
            }
            group.addTask {
                defer { race.isOver.store(true, ordering: .relaxed) }
                for round in 0..<200 {
                    _ = try await store.put(bytes)
                    // The row would be committed here, so the object must exist until it is old.
                    #expect(access(path, F_OK) == 0)
                    #expect(try await store.renew(name))
                    #expect(access(path, F_OK) == 0)
                    var times = [timespec(tv_sec: time(nil) - 1000, tv_nsec: 0)]
                    times.append(times[0])
                    utimensat(AT_FDCWD, path, times, 0)
                    // The next upload runs beside removals, or from time to time after one is over.
                    guard round % 8 == 0 else { continue }
                    let isGone = try await eventually { access(path, F_OK) != 0 }
                    #expect(isGone)
                }
            }
            try await group.waitForAll()
        }
        #expect(race.removed.load(ordering: .relaxed) >= 25)
    }
}
