import Glibc

/// The client's side of one WebSocket. Used by the generator's thread only.
final class SocketClient {
    enum Phase {
        case closed
        case connecting
        case shakingHands
        case open
    }

    let number: Int
    var descriptor: Int32 = -1
    var phase = Phase.closed
    /// The sending times of the texts without an answer, oldest first.
    var underWay: [UInt64] = []
    /// Bytes that the socket has not accepted yet.
    var unsent: [UInt8] = []
    /// Received bytes of an incomplete frame or handshake.
    var partial: [UInt8] = []

    init(number: Int) {
        self.number = number
    }

    /// - Returns: the number of texts that lost their answer.
    func close() -> Int {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
        phase = .closed
        defer { underWay.removeAll() }
        unsent.removeAll()
        partial.removeAll()
        return underWay.count
    }

    /// Passes bytes to the kernel and keeps what it does not accept.
    ///
    /// - Returns: whether all bytes were accepted.
    func send(_ bytes: [UInt8]) -> Bool {
        let isIdle = unsent.isEmpty
        unsent += bytes
        return isIdle && pump()
    }

    /// Sends unsent bytes when the socket is writable.
    ///
    /// - Returns: whether all bytes were accepted.
    func pump() -> Bool {
        let taken = Glibc.send(descriptor, unsent, unsent.count, Int32(MSG_NOSIGNAL))
        // The next receive reports a broken socket.
        unsent.removeFirst(max(0, taken))
        return unsent.isEmpty
    }
}
