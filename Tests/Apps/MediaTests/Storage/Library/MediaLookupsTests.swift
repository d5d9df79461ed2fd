import Synchronization
import TestSupport
import Testing

@testable import Media

@Suite(.timeLimit(.minutes(10))) struct MediaLookupsTests {
    /// A table that answers when the test says so.
    private final class Table: Sendable {
        struct Asked {
            let paths: [MediaPath]
            let answer: CheckedContinuation<[MediaPath: MediaFile], any Error>
        }
        private let asked = Mutex<[Asked]>([])

        func ask(_ paths: [MediaPath]) async throws -> [MediaPath: MediaFile] {
            try await withCheckedThrowingContinuation { answer in
                asked.withLock { $0.append(Asked(paths: paths, answer: answer)) }
            }
        }

        /// Waits for the next question.
        func next() async throws -> Asked {
            while true {
                if let first = asked.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                    return first
                }
                try await Task.sleep(for: .milliseconds(1))
            }
        }

        var isAsked: Bool { asked.withLock { !$0.isEmpty } }
    }

    private struct Away: Error {}

    private let table = Table()

    private func lookups() -> MediaLookups { MediaLookups { [table] in try await table.ask($0) } }

    private func path(_ id: String) throws -> MediaPath {
        try #require(MediaPath("memories/\(id)/photo.jpg"))
    }

    private func file(_ path: MediaPath, bytes: Int) throws -> MediaFile {
        let name = try #require(ObjectName(String(repeating: "ab", count: 32)))
        return MediaFile(
            path: path, object: name, bytes: bytes, contentType: "image/jpeg", owner: nil)
    }

    @Test func `a lookup during a statement is answered by the next statement`() async throws {
        let (lookups, table) = (lookups(), table)
        let (one, other) = (try path("a"), try path("b"))
        async let first = lookups.find(one)
        let early = try await table.next()
        #expect(early.paths == [one])
        // The file is replaced now; the statement in progress may not have seen it.
        async let second = lookups.find(one)
        async let third = lookups.find(one)
        async let fourth = lookups.find(other)
        #expect(try await eventually { lookups.waitingCount == 3 })
        #expect(!table.isAsked)
        early.answer.resume(returning: [one: try file(one, bytes: 1)])
        #expect(try await first?.bytes == 1)
        let late = try await table.next()
        #expect(Set(late.paths) == [one, other])
        #expect(late.paths.count == 2)
        late.answer.resume(returning: [one: try file(one, bytes: 2)])
        #expect(try await second?.bytes == 2)
        #expect(try await third?.bytes == 2)
        #expect(try await fourth == nil)
    }

    @Test func `a statement that fails fails its own callers, and not the next ones`()
        async throws
    {
        let (lookups, table) = (lookups(), table)
        let one = try path("a")
        async let first = lookups.find(one)
        try await table.next().answer.resume(throwing: Away())
        do {
            let file = try await first
            Issue.record("found \(String(describing: file))")
        } catch is Away {}
        async let second = lookups.find(one)
        try await table.next().answer.resume(returning: [one: try file(one, bytes: 3)])
        #expect(try await second?.bytes == 3)
    }

    @Test func `of too many open objects an unused one is closed`() throws {
        let open = OpenObjects()
        let names = try (0...OpenObjects.countMax).map { number in
            let digits = String(number, radix: 16)
            return try #require(
                ObjectName(String(repeating: "0", count: 64 - digits.count) + digits))
        }
        for name in names.dropLast() { open.keep(Nothing(), as: name) }
        #expect(open.find(names[0]) != nil)
        open.keep(Nothing(), as: names[OpenObjects.countMax])
        #expect(open.find(names[0]) != nil)
        #expect(open.find(names[1]) == nil)
        #expect(open.find(names[OpenObjects.countMax]) != nil)
        open.closeAll()
        #expect(open.find(names[0]) == nil)
    }

    private final class Nothing: MediaSource {
        let bytes = 0
        let descriptor: Int32? = nil
        func stream(_ range: Range<Int>) -> MediaStream { MediaStream { { nil } } }
    }
}
