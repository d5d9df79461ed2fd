import Fleet
import Glibc

/// One socket and what is under way on it. Touched by the generator's thread only.
final class Connection {
    /// A request that has left and waits for its answer.
    struct Pending {
        let ticket: UInt64
        let intended: UInt64
        let sent: UInt64
        let bodyBytes: Int
        /// Sent before the clock started; see ``LoadPlan/greets``.
        var isGreeting = false
    }

    let number: Int
    /// The place of its target in the plan.
    let target: Int
    var socket: Int32 = -1
    /// With TLS.
    var secure: SecureChannel?
    /// Oldest first: answers come in the order of the requests.
    private var pending: [Pending] = []
    private var firstPending = 0
    /// What the socket has not taken yet.
    var unsent = ByteWriter(capacity: 64)
    var unsentOffset = 0
    /// Received bytes that are no whole answer yet.
    var partial: [UInt8] = []
    /// The body that waits for `100 Continue`.
    var withheld: UInt64?
    /// Not before this moment, after a connection was refused.
    var reconnectAt: UInt64 = 0
    /// The socket exists, and nobody has answered the knock yet, or the TLS handshake is under way.
    var isConnecting = false
    /// The next thing that the TLS handshake waits for is that the socket takes bytes.
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

    /// Closes the socket and hands back what was under way.
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
