import Synchronization

/// The last refusal of each sender of readings, of all event loops, for the status page.
///
/// - A sender is the name of a key, a device as far as it is known, and a route. Requests with
///   unknown keys are one sender a route.
/// - Refusals for want of room or of a database are the server's state and not noted, so a flood of
///   them costs nothing here.
/// - Limits: ``sendersMax``; the one whose refusal is the oldest goes first. Nothing survives a
///   restart.
final class RefusalBoard: Sendable {
    struct Sender: Hashable {
        /// The name of a key, also of one that lacks the scope, was revoked or has expired; nil: it is
        /// unknown.
        let key: String?
        let device: String?
        /// The label of the route, without the key that may be in its path.
        let route: String
    }

    struct Refusal: Equatable {
        let sender: Sender
        /// The last answer.
        var status: Int
        var sentence: String
        var unixSeconds: Int64
        /// Since it was noted first.
        var count: Int
    }

    static let sendersMax = 200

    private let bySender = Mutex<[Sender: Refusal]>([:])

    /// - Complexity: O(1), or O(``sendersMax``) for a new sender once there are so many.
    func note(_ failure: RequestFailure, of sender: Sender, unixSeconds: Int64) {
        bySender.withLock { known in
            if known[sender] == nil, known.count == Self.sendersMax,
                let oldest = known.values.min(by: { $0.unixSeconds < $1.unixSeconds })
            {
                known[oldest.sender] = nil
            }
            known[sender] = Refusal(
                sender: sender, status: failure.problem.status, sentence: failure.sentence,
                unixSeconds: unixSeconds, count: (known[sender]?.count ?? 0) + 1)
        }
    }

    /// The newest first.
    var refusals: [Refusal] {
        bySender.withLock { Array($0.values) }.sorted {
            ($0.unixSeconds, $1.sender.route) > ($1.unixSeconds, $0.sender.route)
        }
    }
}
