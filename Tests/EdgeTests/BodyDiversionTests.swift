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
        let uploads = try #require(allocator(rig.channel) as? UploadReads)
        #expect(uploads.pipe === pipe)
        let buffer = uploads.buffer(allocator: ByteBufferAllocator())
        #expect(buffer.capacity == UploadMemory.smallBytes)
        try rig.send("12345")
        #expect(reads(rig.channel) == 1)
        try rig.send("67890")
        #expect(reads(rig.channel) == 4)
        #expect(allocator(rig.channel) is AdaptiveRecvByteBufferAllocator)
    }

    @Test func `what is read after an upload has gone is little`() {
        let reads = UploadReads(pipe: BodyPipe(memory, eventLoop: EmbeddedEventLoop()))
        #expect(reads.pipe == nil)
        let buffer = reads.buffer(allocator: ByteBufferAllocator())
        #expect(buffer.capacity == UploadMemory.smallBytes)
    }
}
