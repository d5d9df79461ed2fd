import NIOCore
import NIOEmbedded
import Testing

@testable import Edge

/// How much of a body is read at a time.
struct BodyDiversionTests {
    private let memory = UploadMemory()

    private func reads(_ channel: EmbeddedChannel) -> UInt? {
        channel.options.first { $0.option is ChannelOptions.Types.MaxMessagesPerReadOption }?.value
            as? UInt
    }

    private func allocator(_ channel: EmbeddedChannel) -> (any RecvByteBufferAllocator)? {
        channel.options.first { $0.option is ChannelOptions.Types.RecvAllocatorOption }?.value
            as? any RecvByteBufferAllocator
    }

    @Test func `an upload is read in one piece at a time, what follows as usual`() throws {
        let rig = try ConnectionRig()
        try rig.send("POST /upload/a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
        #expect(reads(rig.channel) == nil)
        let pipe = BodyPipe(memory, eventLoop: rig.eventLoop)
        try rig.channel.triggerUserOutboundEvent(BodyDiversion(to: pipe)).wait()
        #expect(reads(rig.channel) == 1)
        let fixed = try #require(allocator(rig.channel) as? FixedSizeRecvByteBufferAllocator)
        #expect(fixed.capacity == UploadMemory.readBytesMax)
        try rig.send("12345")
        #expect(reads(rig.channel) == 1)
        try rig.send("67890")
        #expect(reads(rig.channel) == 4)
        #expect(allocator(rig.channel) is AdaptiveRecvByteBufferAllocator)
    }

    @Test func `many uploads are read in smaller pieces than few`() {
        let few = (0..<UploadMemory.fewUploadsMax).map { _ in memory.enter() }
        #expect(few.allSatisfy { $0 == UploadMemory.readBytesMax })
        #expect(memory.enter() == UploadMemory.readBytesMin)
        memory.leave()
        memory.leave()
        #expect(memory.enter() == UploadMemory.readBytesMax)
    }
}
