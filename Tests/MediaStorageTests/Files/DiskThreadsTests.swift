import Glibc
import NIOCore
import Testing

@testable import MediaStorage

@Suite(.timeLimit(.minutes(10))) struct DiskThreadsTests {
    private static func piece(_ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    }

    @Test func `a hosted task is on a disk thread, also after it has waited for something`()
        async throws
    {
        let disk = DiskThreads(count: 2)
        #expect(!disk.isHere)
        let places = try await disk.host {
            var places = [disk.isHere]
            try await Task.sleep(for: .milliseconds(2))
            places.append(disk.isHere)
            await Task.yield()
            places.append(disk.isHere)
            return places
        }
        #expect(places == [true, true, true])
        #expect(!disk.isHere)
        await disk.shutdown()
    }

    @Test func `a hosted task does its work itself, others have a thread do it`() async throws {
        let disk = DiskThreads(count: 2)
        let isSame = try await disk.host {
            let here = pthread_self()
            return try await disk.run { () throws(MediaStoreError) in
                pthread_equal(here, pthread_self()) != 0
            }
        }
        #expect(isSame)
        #expect(try await disk.run { () throws(MediaStoreError) in disk.isHere })
        let other = DiskThreads(count: 1)
        let isElsewhere = try await other.host { !disk.isHere }
        #expect(isElsewhere)
        await other.shutdown()
        await disk.shutdown()
    }

    @Test func `more hosted tasks than threads that all block get done`() async throws {
        let disk = DiskThreads(count: 2)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...20 {
                group.addTask {
                    try await disk.host {
                        usleep(1000)
                        try await Task.sleep(for: .milliseconds(1))
                        return number
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 210)
        await disk.shutdown()
    }

    @Test(arguments: [1, 100, 65_537, 300_000])
    func `pieces of any size are stored alike by a hosted task and by another`(
        size: Int
    ) async throws {
        let scratch = Scratch()
        let store = try DirectoryStore(path: scratch.path + "/store", threads: 2)
        let content = Self.piece(700_001)
        @Sendable func upload() async throws -> ObjectName {
            let writer = try await store.begin()
            for start in stride(from: 0, to: content.count, by: size) {
                if size < 100, start > 1000 {
                    try await writer.write(content.span.extracting(start...).bytes)
                    break
                }
                let end = min(start + size, content.count)
                try await writer.write(content.span.extracting(start..<end).bytes)
            }
            return try await writer.finish().name
        }
        let hosted = try await store.disk.host { try await upload() }
        let other = try await upload()
        #expect(hosted.digest.bytes == SHA256.digest(content))
        #expect(other == hosted)
        let stored = try await store.open(hosted).contents()
        #expect(stored.readableBytesView.elementsEqual(content))
        await store.shutdown()
    }

    @Test func `after the end work is refused`() async throws {
        // Many times: some end before their thread has begun.
        for _ in 0..<200 {
            let disk = DiskThreads(count: 1)
            await disk.shutdown()
            await #expect(throws: MediaStoreError.ended) {
                try await disk.run { () throws(MediaStoreError) in }
            }
            #expect(!disk.isHere)
        }
    }
}
