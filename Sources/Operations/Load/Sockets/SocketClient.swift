import Fleet
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
    var unsent = ByteWriter(capacity: 64)
    var unsentOffset = 0
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
        unsentOffset = 0
        partial.removeAll()
        return underWay.count
    }

    /// Passes bytes to the kernel and keeps what it does not accept.
    ///
    /// - Returns: whether all bytes were accepted.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if unsent.count == 0 {
            let taken = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            // The next receive reports a broken socket.
            let sent = max(0, taken)
            if sent == bytes.count { return true }
            unsent.put(bytes: UnsafeRawBufferPointer(rebasing: bytes[sent...]))
            unsentOffset = 0
        } else {
            unsent.put(bytes: bytes)
        }
        return false
    }

    /// Sends unsent bytes when the socket is writable.
    ///
    /// - Returns: whether all bytes were accepted.
    func pump() -> Bool {
        let (descriptor, offset) = (descriptor, unsentOffset)
        let taken = unsent.withBytes {
            Glibc.send(
                descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset,
                Int32(MSG_NOSIGNAL))
        }
        unsentOffset += max(0, taken)
        guard unsentOffset == unsent.count else { return false }
        unsent.removeAll()
        unsentOffset = 0
        return true
    }
}
