import Crypto
import Testing

@testable import Media

@Suite(.timeLimit(.minutes(10))) struct DiskThreadsTests {
    @Test(arguments: [1, 100, 65_537, 300_000])
    func `pieces of any size are stored alike, altered or not`(size: Int) async throws {
        let scratch = Scratch()
        let store = try DirectoryStore(path: scratch.path + "/store", threads: 2)
        var content = (0..<(size == 1 ? 1001 : 700_001)).map {
            UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9)
        }
        for alters in [false, true] {
            let writer = try await store.begin()
            for start in stride(from: 0, to: content.count, by: size) {
                let end = min(start + size, content.count)
                try await writer.write(content.span.extracting(start..<end).bytes)
            }
            if alters {
                try await writer.inspect { file throws(MediaStoreError) in
                    try file.overwrite([1, 2, 3], at: 500)
                }
                content.replaceSubrange(500..<503, with: [1, 2, 3])
            }
            let name = try await writer.finish().name
            #expect(name.digest.bytes == Array(SHA256.hash(data: content)))
            #expect(try await store.get(name) == content)
        }
        await store.shutdown()
    }

    @Test func `work is done for a cancelled task too`() async throws {
        let disk = DiskThreads(count: 1)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await disk.run { () throws(MediaStoreError) in 7 }
        }
        task.cancel()
        #expect(try await task.value == 7)
        await disk.shutdown()
    }

    @Test func `when the caller continues, the thread refers to nothing of its work`() async throws
    {
        final class File: Sendable {}
        let disk = DiskThreads(count: 2)
        for _ in 0..<20_000 {
            weak var remaining: File?
            do {
                let file = File()
                remaining = file
                try await disk.run { () throws(MediaStoreError) in withExtendedLifetime(file) {} }
            }
            #expect(remaining == nil)
        }
        await disk.shutdown()
    }

    @Test func `after the end work is refused`() async throws {
        // Repeated, because some end before their thread has begun.
        for _ in 0..<200 {
            let disk = DiskThreads(count: 1)
            await disk.shutdown()
            await #expect(throws: MediaStoreError.ended) {
                try await disk.run { () throws(MediaStoreError) in }
            }
        }
    }
}
