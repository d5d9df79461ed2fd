import NIOCore
import NIOWebSocket

/// The way out of one socket: frames are written into the channel behind NIO's encoder, which would
/// make two pieces of each, its head and its payload, and with them a slower call of the kernel.
///
/// To be used on the event loop, while the handler that it was made by is in its pipeline.
struct SocketOutlet {
    private let context: ChannelHandlerContext
    private let options: (any NIOSynchronousChannelOptions)?

    /// Of a frame from a server: two bytes and a 64-bit length.
    private static let headBytesMax = 10

    /// - Parameter context: the socket's handler's.
    init(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        let encoder = try? pipeline.context(handlerType: WebSocketFrameEncoder.self)
        self.context = encoder ?? context
        options = context.channel.syncOptions
    }

    /// What the kernel has not taken yet.
    var waitingBytes: Int { (try? options?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Writes a message.
    func write(_ text: String, promise: EventLoopPromise<Void>?) {
        let bytes = text.utf8.count
        var frame = Self.frame(.text, bytes: bytes)
        frame.writeString(text)
        write(frame, promise)
    }

    /// Writes a control frame.
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

    /// A frame's head, and room for its payload. What a server sends is whole and not masked.
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

/// Whether a client takes what it is sent.
struct SendingWatch {
    /// Since when it has not; nil while all is well.
    private var stuckSince: NIODeadline?
    /// What waited at the last look.
    private var waitingBytes = 0

    var isBlocked: Bool { stuckSince != nil }

    mutating func writabilityChanged(isWritable: Bool, now: NIODeadline) {
        stuckSince = isWritable ? nil : stuckSince ?? now
    }

    /// As long as what waits changes, the client reads and is in time.
    ///
    /// - Returns: true when it has taken nothing for `timeout`.
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
