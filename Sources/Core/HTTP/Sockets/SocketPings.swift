import NIOCore

/// The pings of one socket, and which of them its client has answered.
///
/// A frame has arrived once a pong answers a ping that was sent behind it: TCP keeps the order, and
/// a client answers a ping only when it has read what came before. A write that the kernel has
/// accepted proves nothing: the bytes may be in a buffer of this machine or of a relay.
///
/// - A ping's payload is its number, 8 bytes in network order. Any other pong proves nothing,
///   because a client may send pongs unasked.
/// - One ping is unanswered at a time; the next one covers all frames sent meanwhile. So a client
///   gets at most one a round trip, however many frames it gets. Only a silent client gets another
///   one (``SocketConfiguration/pingInterval``), because some clients drop a pong under load.
/// - Source: RFC 6455, sections 5.5.2 and 5.5.3.
struct SocketPings {
    private static let payloadBytes = 8

    /// The numbers of the last ping, and of the last one that was answered; 0: none.
    private var sent: UInt64 = 0
    private var answered: UInt64 = 0
    private var isWanted = false

    /// Asks for a ping behind the frames sent so far.
    ///
    /// - Returns: its number.
    mutating func want() -> UInt64 {
        isWanted = true
        return sent + 1
    }

    /// The number of the ping to send now; nil while none is wanted or one is unanswered.
    mutating func due() -> UInt64? {
        isWanted && answered == sent ? next() : nil
    }

    /// The number of the next ping, which is sent whether or not the last one was answered.
    mutating func next() -> UInt64 {
        isWanted = false
        sent += 1
        return sent
    }

    /// - Returns: the number of the ping that this pong answers, and with it all earlier ones; nil
    ///   if it answers none.
    mutating func answer(_ payload: ByteBuffer) -> UInt64? {
        guard payload.readableBytes == Self.payloadBytes,
            let number = payload.getInteger(at: payload.readerIndex, as: UInt64.self),
            number > answered, number <= sent
        else { return nil }
        answered = number
        return number
    }

    /// The payload of the ping with this number.
    static func payload(_ number: UInt64) -> ByteBuffer {
        ByteBuffer(integer: number)
    }
}
