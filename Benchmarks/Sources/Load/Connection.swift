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
    var socket: Int32 = -1
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
    /// The socket exists, and nobody has answered the knock yet.
    var isConnecting = false

    init(number: Int) {
        self.number = number
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
        return lost
    }
}
