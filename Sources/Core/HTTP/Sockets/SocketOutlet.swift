import NIOCore
import NIOWebSocket

/// Writes the frames of one socket. They enter the channel behind NIO's encoder, which would write
/// head and payload of each frame separately and so need a slower system call.
///
/// To be used on the event loop, while the handler that made it is in its pipeline.
struct SocketOutlet {
    private let context: ChannelHandlerContext
    private let options: (any NIOSynchronousChannelOptions)?

    /// The head of a frame from a server: two bytes and a 64-bit length.
    private static let headBytesMax = 10

    /// - Parameter context: that of the socket's handler.
    init(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        let encoder = try? pipeline.context(handlerType: WebSocketFrameEncoder.self)
        self.context = encoder ?? context
        options = context.channel.syncOptions
    }

    /// Bytes that the kernel has not taken yet.
    var waitingBytes: Int { (try? options?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Writes a message, without flushing.
    func write(_ text: String, promise: EventLoopPromise<Void>?) {
        write(Self.frame(text), promise)
    }

    /// A message as a frame.
    static func frame(_ text: String) -> ByteBuffer {
        var frame = frame(.text, bytes: text.utf8.count)
        frame.writeString(text)
        return frame
    }

    /// A control frame.
    static func frame(_ opcode: WebSocketOpcode, _ payload: ByteBuffer) -> ByteBuffer {
        var frame = frame(opcode, bytes: payload.readableBytes)
        frame.writeImmutableBuffer(payload)
        return frame
    }

    /// Writes a control frame, without flushing.
    func write(
        _ opcode: WebSocketOpcode, _ payload: ByteBuffer, promise: EventLoopPromise<Void>? = nil
    ) {
        write(Self.frame(opcode, payload), promise)
    }

    private func write(_ frame: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
        context.write(NIOAny(frame), promise: promise)
    }

    /// Sends what was written.
    func flush() { context.flush() }

    /// The head of a frame, with room for its payload. A server's frames are whole and not masked.
    ///
    /// - Source: RFC 6455, section 5.2.
    private static func frame(_ opcode: WebSocketOpcode, bytes: Int) -> ByteBuffer {
        var frame = ByteBufferAllocator().buffer(capacity: headBytesMax + bytes)
        frame.writeInteger(0x80 | UInt8(webSocketOpcode: opcode))
        switch bytes {
        case ..<126:
            frame.writeInteger(UInt8(bytes))
        case ...0xFFFF:
            frame.writeInteger(126 as UInt8)
            frame.writeInteger(UInt16(bytes))
        default:
            frame.writeInteger(127 as UInt8)
            frame.writeInteger(UInt64(bytes))
        }
        return frame
    }
}
