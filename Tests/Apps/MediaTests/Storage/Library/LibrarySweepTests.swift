import Glibc
import Media
import Postgres
import Synchronization
import TestSupport
import Testing

/// Concurrent uploads, replacements, removals and sweeps, with the shortest possible grace time.
@Suite(.timeLimit(.minutes(10)))
struct LibrarySweepTests {
    static let duration: Duration = .seconds(6)

    private final class Tally: Sendable { let removed = Atomic(0) }

    @Test func `no sweep removes an object that a row names`() async throws {
        let scratch = Scratch()
        let store = try DirectoryStore(
            path: scratch.path + "/media", graceTime: .seconds(1), threads: 4)
        let database = Database(try TestCluster.shared.freshDatabase(named: "sweep"))
        let library = MediaLibrary(store: store, database: database)
        let end = ContinuousClock.now + Self.duration
        let tally = Tally()
        // Longer if the machine is too busy for objects to get old and be swept.
        @Sendable func goesOn() -> Bool {
            .now < end
                || (tally.removed.load(ordering: .relaxed) == 0 && .now < end + .seconds(120))
        }
        let swept = try await withThrowingTaskGroup(of: SweepFigures.self) { group in
            for worker in 0..<2 {
                group.addTask {
                    var dice = Dice(seed: UInt64(worker))
                    while goesOn() {
                        let id = "\(Int.random(in: 0..<8, using: &dice))"
                        let path = try #require(MediaPath("memories/\(id)/photo.jpg"))
                        // Few contents, so that many uploads meet an object that is old or being
                        // removed.
                        let content = Int.random(in: 0..<600, using: &dice)
                        let stored = try await store.put(Array("\(content)".utf8))
                        // The object was old and swept before the commit, because the machine
                        // stalled.
                        guard try await database.commit(stored, as: path, contentType: "a/b")
                        else { continue }
                        let media = try #require(try await library.open(path))
                        _ = try await media.source.contents()
                    }
                    return SweepFigures()
                }
            }
            group.addTask {
                var figures = SweepFigures()
                while goesOn() {
                    let swept = try await library.sweep()
                    figures.objectsRemoved += swept.objectsRemoved
                    tally.removed.add(swept.objectsRemoved, ordering: .relaxed)
                    figures.objectsNamed += swept.objectsNamed
                }
                return figures
            }
            return try await group.reduce(into: SweepFigures()) { sum, figures in
                sum.objectsRemoved += figures.objectsRemoved
                sum.objectsNamed += figures.objectsNamed
            }
        }
        #expect(swept.objectsRemoved > 0)
        let objects = try await database.withConnection { connection in
            let rows = try connection.query("select distinct object from sluice.media_file")
            return (0..<rows.count).map { rows.string($0, 0) }
        }
        #expect(!objects.isEmpty)
        for object in objects {
            let name = try #require(ObjectName(object))
            _ = try await store.get(name)
        }
        database.close()
    }

    @Test func `an object that can't be removed is named, and all others are removed`() async throws
    {
        let scratch = Scratch()
        let store = try DirectoryStore(
            path: scratch.path + "/media", graceTime: .seconds(100), threads: 4)
        let settings = try TestCluster.shared.freshDatabase(named: "sweep_failing")
        let database = Database(settings)
        defer { database.close() }
        let library = MediaLibrary(store: store, database: database)
        var names: [ObjectName] = []
        for number in 0..<5 { names.append(try await store.put([UInt8(number)]).name) }
        names.sort()
        func file(_ name: ObjectName) -> String {
            "media/objects/\(name.text.prefix(2))/\(name.text.dropFirst(2))"
        }
        // A directory in the place of the first file.
        let bad = "\(scratch.path)/\(file(names[0]))"
        #expect(unlink(bad) == 0 && mkdir(bad, 0o700) == 0 && mkdir(bad + "/x", 0o700) == 0)
        for name in names { scratch.age(file(name), by: 1000) }
        let figures = try await library.sweep()
        #expect(figures.objectsRemoved == 4 && figures.failed == 1)
        func failing() throws -> [String] {
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            defer { connection.close() }
            let rows = try connection.query(
                "select pass || ' ' || item || ' ' || attempts from sluice.failing_now")
            return (0..<rows.count).map { rows.string($0, 0) }
        }
        #expect(try failing() == ["media \(names[0].text) 1"])
        // It rests: a second sweep does not try it.
        #expect(try await library.sweep().failed == 1)
        #expect(try failing() == ["media \(names[0].text) 1"])
    }
}
