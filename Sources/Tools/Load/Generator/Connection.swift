import Fleet
import Glibc

/// One socket and its requests. Used by the generator's thread only.
final class Connection {
    /// A request that was sent and has no answer yet.
    struct Pending {
        let ticket: UInt64
        let intended: UInt64
        let sent: UInt64
        let bodyBytes: Int
        /// Sent before the clock started; see ``LoadPlan/greets``.
        var isGreeting = false
    }

    let number: Int
    /// The index of its target in the plan.
    let target: Int
    var socket: Int32 = -1
    /// Nil without TLS.
    var secure: SecureChannel?
    /// Oldest first: answers arrive in the order of the requests.
    private var pending: [Pending] = []
    private var firstPending = 0
    /// Bytes that the socket has not accepted yet.
    var unsent = ByteWriter(capacity: 64)
    var unsentOffset = 0
    /// Received bytes of an incomplete answer.
    var partial: [UInt8] = []
    /// The request whose body waits for `100 Continue`.
    var withheld: UInt64?
    /// The earliest time of the next attempt after a refused connection.
    var reconnectAt: UInt64 = 0
    /// The TCP connection or its TLS handshake is not complete.
    var isConnecting = false
    /// Whether the handshake waits until the socket is writable.
    var isHandshakeWriting = true

    init(number: Int, target: Int) {
        self.number = number
        self.target = target
    }

    var pendingCount: Int { pending.count - firstPending }
    var oldest: Pending? { firstPending < pending.count ? pending[firstPending] : nil }

    func append(_ request: Pending) {
        pending.append(request)
    }

    func removeOldest() -> Pending? {
        guard firstPending < pending.count else { return nil }
        let request = pending[firstPending]
        firstPending += 1
        if firstPending == pending.count {
            pending.removeAll(keepingCapacity: true)
            firstPending = 0
        }
        return request
    }

    /// Closes the socket and returns the pending requests.
    func close() -> [Pending] {
        secure = nil
        if socket >= 0 { _ = Glibc.close(socket) }
        socket = -1
        let lost = Array(pending[firstPending...])
        pending.removeAll(keepingCapacity: true)
        firstPending = 0
        unsent.removeAll()
        unsentOffset = 0
        partial.removeAll(keepingCapacity: true)
        withheld = nil
        isConnecting = false
        isHandshakeWriting = true
        return lost
    }
}
