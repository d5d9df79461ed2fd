import MediaStorage
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import Edge

@Suite(.timeLimit(.minutes(10))) struct BodyPipeTests {
    private let memory = UploadMemory()
    private let loop = MultiThreadedEventLoopGroup.singleton.any()
    private let allocator = ByteBufferAllocator()

    private func pipe() -> BodyPipe { BodyPipe(memory, eventLoop: loop) }

    private func chunk(_ bytes: Int) -> ByteBuffer { ByteBuffer(repeating: 7, count: bytes) }

    /// What comes when the pipe is read for: as much as the pipe lets in.
    private func fullRead(_ pipe: BodyPipe) -> ByteBuffer {
        var buffer = pipe.buffer(allocator)
        buffer.writeRepeatingByte(7, count: buffer.capacity)
        return buffer
    }

    private func readFully(_ pipe: BodyPipe, _ times: Int = 1) {
        for _ in 0..<times { pipe.append(fullRead(pipe)) }
    }

    private func sizes(_ pieces: BodyPipe.Pieces) -> [Int] {
        pieces.reversed().map(\.readableBytes)
    }

    /// Pipes that have all places, each with a small and a large piece.
    private func greedy() -> [BodyPipe] {
        (0..<UploadMemory.placesMax).map { _ in
            let pipe = pipe()
            readFully(pipe, 2)
            return pipe
        }
    }

    @Test func `what comes slowly is gathered, then handed over in one piece`() async throws {
        let pipe = pipe()
        let isWoken = Mutex(false)
        async let pieces = {
            let pieces = try await pipe.next()
            isWoken.withLock { $0 = true }
            return pieces
        }()
        pipe.append(chunk(1000))
        pipe.append(chunk(3000))
        try await Task.sleep(for: .milliseconds(50))
        #expect(!isWoken.withLock { $0 })
        #expect(pipe.isHungry)
        pipe.append(chunk(UploadMemory.smallBytes - 4000))
        #expect(sizes(try await pieces) == [UploadMemory.smallBytes])
    }

    @Test func `a small read that comes full is followed by large ones, up to the window`()
        async throws
    {
        let pipe = pipe()
        #expect(pipe.buffer(allocator).capacity == UploadMemory.smallBytes)
        readFully(pipe)
        #expect(pipe.buffer(allocator).capacity == UploadMemory.largeBytes)
        #expect(pipe.isHungry)
        readFully(pipe, 2)
        #expect(!pipe.isHungry)
        let (small, large) = (UploadMemory.smallBytes, UploadMemory.largeBytes)
        #expect(sizes(try await pipe.next()) == [small, large, large])
        // They are still held: the task may be busy with them.
        #expect(!pipe.isHungry)
    }

    @Test func `a full pipe reads on when what it held was taken and done with`() async throws {
        let pipe = pipe()
        readFully(pipe, 3)
        _ = try await pipe.next()
        #expect(!pipe.isHungry)
        async let next = pipe.next()
        while !pipe.isHungry { try await Task.sleep(for: .milliseconds(1)) }
        pipe.end()
        #expect(try await next.isEmpty)
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

    @Test
    func `where all places are taken a pipe with more waits for one, and gets it in its turn`()
        async throws
    {
        let greedy = greedy()
        #expect(!memory.takePlace())
        let (first, second) = (pipe(), pipe())
        readFully(first)
        readFully(second)
        #expect(!first.isHungry)
        #expect(!second.isHungry)
        greedy[0].abandon()
        #expect(first.isHungry)
        #expect(!second.isHungry)
        #expect(sizes(try await first.next()) == [UploadMemory.smallBytes])
        // It comes for more, and there is nothing: the place is the second's.
        async let more = first.next()
        while !second.isHungry { try await Task.sleep(for: .milliseconds(1)) }
        #expect(sizes(try await second.next()) == [UploadMemory.smallBytes])
        first.end()
        #expect(try await more.isEmpty)
    }

    @Test func `a long upload's turn ends where another waits, and not before`() async throws {
        let greedy = greedy()
        let (long, reads) = (greedy[0], 3 * UploadMemory.turnBytesMax / UploadMemory.largeBytes)
        _ = try await long.next()
        for _ in 0..<reads {
            #expect(long.isHungry)
            readFully(long)
            _ = try await long.next()
        }
        let next = pipe()
        readFully(next)
        #expect(!next.isHungry)
        readFully(long)
        #expect(!long.isHungry)
        #expect(sizes(try await long.next()) == [UploadMemory.largeBytes])
        #expect(!next.isHungry)
        async let more = long.next()
        while !next.isHungry { try await Task.sleep(for: .milliseconds(1)) }
        // With the place gone it is read in small pieces again.
        #expect(long.isHungry)
        #expect(long.buffer(allocator).capacity == UploadMemory.smallBytes)
        long.end()
        #expect(try await more.isEmpty)
    }

    @Test func `after a read that brought much a place waits for the next, but not for long`()
        async throws
    {
        let greedy = greedy()
        greedy[0].abandon()
        let clock = NIOAsyncTestingEventLoop()
        let (quick, next) = (BodyPipe(memory, eventLoop: clock), pipe())
        readFully(quick, 3)
        readFully(next)
        #expect(sizes(try await quick.next()).count == 3)
        async let more = quick.next()
        while !quick.isHungry { try await Task.sleep(for: .milliseconds(1)) }
        // Its task waits for more, and it still has its place.
        #expect(!next.isHungry)
        #expect(quick.buffer(allocator).capacity == UploadMemory.largeBytes)
        readFully(quick)
        #expect(sizes(try await more) == [UploadMemory.largeBytes])
        await clock.advanceTime(by: UploadMemory.unusedPlaceTimeMax)
        #expect(!next.isHungry)
        async let nothing = quick.next()
        while !next.isHungry {
            await clock.advanceTime(by: UploadMemory.unusedPlaceTimeMax)
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(quick.buffer(allocator).capacity == UploadMemory.smallBytes)
        quick.end()
        #expect(try await nothing.isEmpty)
        await clock.shutdownGracefully()
    }

    @Test func `after a large read that brought little a place goes at once`() async throws {
        let greedy = greedy()
        greedy[0].abandon()
        let clock = NIOAsyncTestingEventLoop()
        let (slow, next) = (BodyPipe(memory, eventLoop: clock), pipe())
        readFully(slow, 2)
        var read = slow.buffer(allocator)
        read.writeRepeatingByte(7, count: UploadMemory.muchBytes - 1)
        slow.append(read)
        readFully(next)
        #expect(sizes(try await slow.next()).count == 3)
        async let nothing = slow.next()
        // No time passes on its loop.
        while !next.isHungry { try await Task.sleep(for: .milliseconds(1)) }
        slow.end()
        #expect(try await nothing.isEmpty)
        await clock.shutdownGracefully()
    }

    @Test func `one that sends little needs no place`() async throws {
        let greedy = greedy()
        let modest = pipe()
        for _ in 0..<100 {
            for _ in 0..<3 { modest.append(chunk(UploadMemory.smallBytes / 2 - 1)) }
            #expect(!modest.isHungry)
            let pieces = try await modest.next()
            #expect(sizes(pieces).reduce(0, +) == 3 * (UploadMemory.smallBytes / 2 - 1))
            async let nothing = modest.next()
            while !modest.isHungry { try await Task.sleep(for: .milliseconds(1)) }
            modest.append(chunk(UploadMemory.smallBytes - 1))
            modest.append(chunk(1))
            #expect(sizes(try await nothing) == [UploadMemory.smallBytes])
        }
        for pipe in greedy { pipe.abandon() }
    }

    @Test func `one that goes while it waits in line is passed over`() async throws {
        let greedy = greedy()
        let (gone, next) = (pipe(), pipe())
        readFully(gone)
        readFully(next)
        gone.abandon()
        #expect(!next.isHungry)
        greedy[0].abandon()
        #expect(next.isHungry)
    }

    @Test func `a pipe that goes gives its place back`() {
        for _ in 0..<100 {
            readFully(pipe(), 2)
            #expect(memory.takePlace())
            memory.givePlaceBack()
        }
        var places = 0
        while memory.takePlace() { places += 1 }
        #expect(places == UploadMemory.placesMax)
    }

    @Test func `a large piece's memory serves again, unless it is still used`() {
        var place: UInt?
        func address(_ buffer: ByteBuffer) -> UInt? {
            buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        do {
            let buffer = memory.largeBuffer(allocator)
            place = address(buffer)
            memory.recycle(consume buffer)
        }
        let again = memory.largeBuffer(allocator)
        #expect(address(again) == place)
        memory.recycle(again)
        let other = memory.largeBuffer(allocator)
        #expect(address(other) != place)
        #expect(again.capacity == UploadMemory.largeBytes)
    }
}
