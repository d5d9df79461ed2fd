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
        let bytes = text.utf8.count
        var frame = Self.frame(.text, bytes: bytes)
        frame.writeString(text)
        write(frame, promise)
    }

    /// Writes a control frame, without flushing.
    func write(
        _ opcode: WebSocketOpcode, _ payload: ByteBuffer, promise: EventLoopPromise<Void>? = nil
    ) {
        var frame = Self.frame(opcode, bytes: payload.readableBytes)
        frame.writeImmutableBuffer(payload)
        write(frame, promise)
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

/// Detects a client that does not take what is sent.
struct SendingWatch {
    /// Since when the client takes nothing; nil while it does.
    private var stuckSince: NIODeadline?
    /// Bytes that were to be sent at the last check.
    private var waitingBytes = 0

    var isBlocked: Bool { stuckSince != nil }

    mutating func writabilityChanged(isWritable: Bool, now: NIODeadline) {
        stuckSince = isWritable ? nil : stuckSince ?? now
    }

    /// While the number of bytes to be sent changes, the client reads and is in time.
    ///
    /// - Returns: true if the client has taken nothing for `timeout`.
    mutating func isStuck(waitingBytes: Int, timeout: TimeAmount, now: NIODeadline) -> Bool {
        guard let since = stuckSince else { return false }
        if waitingBytes != self.waitingBytes {
            self.waitingBytes = waitingBytes
            stuckSince = now
            return false
        }
        return now - since >= timeout
    }
}
