import MediaStorage
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Edge

@Suite(.timeLimit(.minutes(1))) struct BodyPipeTests {
    private let memory = UploadMemory()
    private let loop = MultiThreadedEventLoopGroup.singleton.any()

    private func pipe() -> BodyPipe { BodyPipe(memory, eventLoop: loop) }

    private func chunk(_ bytes: Int) -> ByteBuffer { ByteBuffer(repeating: 7, count: bytes) }

    private func sizes(_ pieces: BodyPipe.Pieces) -> [Int] { pieces.map(\.readableBytes) }

    @Test func `a task is woken when there is enough for it, and gets all of it`() async throws {
        let pipe = pipe()
        let isWoken = Mutex(false)
        async let pieces = {
            let pieces = try await pipe.next()
            isWoken.withLock { $0 = true }
            return pieces
        }()
        pipe.append(chunk(1000))
        try await Task.sleep(for: .milliseconds(50))
        #expect(!isWoken.withLock { $0 })
        #expect(pipe.isHungry)
        pipe.append(chunk(UploadMemory.wakeBytes - 1000))
        #expect(sizes(try await pieces) == [1000, UploadMemory.wakeBytes - 1000])
    }

    @Test func `the end wakes with the rest, then with nothing`() async throws {
        let pipe = pipe()
        pipe.append(chunk(10))
        pipe.end()
        #expect(sizes(try await pipe.next()) == [10])
        #expect(try await pipe.next().isEmpty)
        #expect(!pipe.isHungry)
    }

    @Test func `a body that breaks off is truncated, whatever had come`() async throws {
        let pipe = pipe()
        pipe.append(chunk(10))
        pipe.fail(at: 10)
        await #expect(throws: MultipartError.truncated(offset: 10)) { try await pipe.next() }
        pipe.end()
        await #expect(throws: MultipartError.truncated(offset: 10)) { try await pipe.next() }
    }

    @Test func `a full pipe reads on when what it held was taken and done with`() async throws {
        let pipe = pipe()
        pipe.append(chunk(UploadMemory.windowBytes))
        #expect(!pipe.isHungry)
        _ = try await pipe.next()
        // It is still held: the task may be busy with it.
        #expect(!pipe.isHungry)
        async let next = pipe.next()
        while !pipe.isHungry { try await Task.sleep(for: .milliseconds(1)) }
        pipe.end()
        #expect(try await next.isEmpty)
    }

    @Test func `where all is lent a pipe has its own, wakes for little, and is never stuck`()
        async throws
    {
        let greedy = (0...UploadMemory.lentBytesMax / UploadMemory.windowBytes).map { _ in pipe() }
        for pipe in greedy { pipe.append(chunk(UploadMemory.windowBytes)) }
        #expect(!memory.hasMore)
        let modest = pipe()
        #expect(modest.isHungry)
        modest.append(chunk(UploadMemory.ownBytes))
        #expect(!modest.isHungry)
        #expect(sizes(try await modest.next()) == [UploadMemory.ownBytes])
        for pipe in greedy { pipe.abandon() }
        #expect(memory.hasMore)
        #expect(modest.isHungry)
    }

    @Test func `a task that waits for more gets what there is when others take all the rest`()
        async throws
    {
        let pipe = pipe()
        let few = UploadMemory.ownBytes + 1000
        async let pieces = pipe.next()
        pipe.append(chunk(few))
        // Once it waits, and the loop would still read on.
        try await Task.sleep(for: .milliseconds(50))
        #expect(pipe.isHungry)
        let greedy = (0...UploadMemory.lentBytesMax / UploadMemory.windowBytes).map { _ in
            self.pipe()
        }
        for pipe in greedy { pipe.append(chunk(UploadMemory.windowBytes)) }
        #expect(!pipe.isHungry)
        #expect(sizes(try await pieces) == [few])
        for pipe in greedy { pipe.abandon() }
    }

    @Test func `a pipe that goes gives back what it was lent`() {
        for _ in 0..<100 {
            pipe().append(chunk(UploadMemory.windowBytes))
            #expect(memory.hasMore)
        }
    }
}
