import Glibc
import NIOCore
import TestSupport
import Testing

@testable import MediaStorage

@Suite(.timeLimit(.minutes(10))) struct HashLineTests {
    private func pieces(_ count: Int, _ dice: inout Dice) -> [ByteBuffer] {
        (0..<count).map { _ in
            ByteBuffer(bytes: dice.bytes(Int.random(in: 0...200_000, using: &dice)))
        }
    }

    private func digest(_ pieces: [ByteBuffer]) -> [UInt8] {
        SHA256.digest(pieces.flatMap { Array($0.readableBytesView) })
    }

    @Test func `pieces hashed by another thread count in their order, with those between`()
        async throws
    {
        let disk = DiskThreads(count: 2)
        for seed in 0..<10 {
            var dice = Dice(seed: UInt64(seed))
            let pieces = pieces(12, &dice)
            let line = HashLine()
            var helped = 0
            for piece in pieces {
                if Bool.random(using: &dice), line.update(piece, by: disk) {
                    helped += 1
                } else {
                    piece.withUnsafeReadableBytes { line.update($0) }
                }
            }
            #expect(line.finish() == digest(pieces))
            #expect(helped > 0)
        }
        await disk.shutdown()
    }

    @Test func `a thread that is busy does not help`() async throws {
        let disk = DiskThreads(count: 1)
        let line = HashLine()
        let piece = ByteBuffer(string: "abc")
        let isHelped = try await disk.host { line.update(piece, by: disk) }
        #expect(!isHelped)
        #expect(line.finish() == SHA256.digest([]))
        await disk.shutdown()
    }

    @Test func `where many have moved in nobody is helped`() async throws {
        let disk = DiskThreads(count: 4)
        let line = HashLine()
        // A guest that is a guest's guest is one more.
        @Sendable func visit(_ more: Int) async throws -> Bool {
            try await disk.host {
                more > 0
                    ? try await visit(more - 1)
                    : line.update(ByteBuffer(string: "abc"), by: disk)
            }
        }
        let isHelped = try await visit(max(1, System.coreCount / 2))
        #expect(!isHelped)
        await disk.shutdown()
    }

    @Test func `what was handed to threads that have ended is hashed all the same`() async throws {
        let disk = DiskThreads(count: 2)
        await disk.shutdown()
        let line = HashLine()
        let piece = ByteBuffer(string: "abc")
        if !line.update(piece, by: disk) { piece.withUnsafeReadableBytes { line.update($0) } }
        #expect(line.finish() == SHA256.digest("abc".utf8))
    }

    /// Sizes around those from which a second thread helps.
    @Test(arguments: [1000, 65_535, 65_536, 262_144])
    func `an upload in buffers is stored as one in bytes, altered or not`(size: Int) async throws {
        let scratch = Scratch()
        let store = try DirectoryStore(path: scratch.path + "/store", threads: 3)
        var dice = Dice(seed: UInt64(size))
        var content = dice.bytes(1_000_001)
        for alters in [false, true] {
            let sent = content
            let name = try await store.disk.host {
                let writer = try await store.begin()
                for start in stride(from: 0, to: sent.count, by: size) {
                    let end = min(start + size, sent.count)
                    try await writer.write(ByteBuffer(bytes: sent[start..<end]))
                }
                if alters {
                    try await writer.inspect { file throws(MediaStoreError) in
                        try file.overwrite([1, 2, 3], at: 500_000)
                    }
                }
                return try await writer.finish().name
            }
            if alters { content.replaceSubrange(500_000..<500_003, with: [1, 2, 3]) }
            #expect(name.digest.bytes == SHA256.digest(content))
            #expect(try await store.get(name) == content)
        }
        await store.shutdown()
    }
}
