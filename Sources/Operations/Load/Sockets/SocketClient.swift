import Fleet
import Glibc

/// One WebSocket as its client sees it. Touched by the generator's thread only.
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
    /// When the texts left whose answers are waited for; the oldest first.
    var underWay: [UInt64] = []
    /// What the socket has not taken yet.
    var unsent = ByteWriter(capacity: 64)
    var unsentOffset = 0
    /// Received bytes that are nothing whole yet.
    var partial: [UInt8] = []

    init(number: Int) {
        self.number = number
    }

    /// - Returns: how many texts have no answer now.
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

    /// Hands bytes to the kernel and keeps what it does not take.
    ///
    /// - Returns: whether everything is gone.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if unsent.count == 0 {
            let taken = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            // A broken socket shows itself at the next receive.
            let sent = max(0, taken)
            if sent == bytes.count { return true }
            unsent.put(bytes: UnsafeRawBufferPointer(rebasing: bytes[sent...]))
            unsentOffset = 0
        } else {
            unsent.put(bytes: bytes)
        }
        return false
    }

    /// The kernel takes bytes again.
    ///
    /// - Returns: whether everything is gone.
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
