import Access
import Synchronization

/// How many sockets each holds, over all loops, so that nobody holds all of them.
///
/// A user may hold so many. Where nobody has to say who he is any name may be given, so there the
/// client's address counts too: it may hold four times as many as are free, which is four fifths of
/// all. Behind a proxy all clients have one address.
final class SocketHolders: Sendable {
    private struct State {
        var users: [String: Int] = [:]
        var addresses: [ClientAddress: Int] = [:]
    }

    /// The rule of ``KeyAccount/reserve(_:free:)``.
    private static let shareOfFree = 4

    private let state = Mutex(State())

    /// - Parameters:
    ///   - address: of a client that has shown nothing; nil for others.
    ///   - free: sockets that nobody holds.
    func mayHold(
        user: String, usersMax: Int, address: ClientAddress?, free: Int
    ) -> Bool {
        state.withLock { state in
            guard state.users[user, default: 0] < usersMax else { return false }
            guard let address, let own = state.addresses[address] else { return true }
            return own + 1 <= Self.shareOfFree * (free - 1)
        }
    }

    /// Balance it with ``remove(user:address:)``.
    func add(user: String, address: ClientAddress?) {
        state.withLock { state in
            state.users[user, default: 0] += 1
            if let address { state.addresses[address, default: 0] += 1 }
        }
    }

    func remove(user: String, address: ClientAddress?) {
        state.withLock { state in
            Self.subtract(user, from: &state.users)
            if let address { Self.subtract(address, from: &state.addresses) }
        }
    }

    private static func subtract<Key>(_ key: Key, from counts: inout [Key: Int]) {
        guard let count = counts[key] else { preconditionFailure("BUG: a socket nobody holds") }
        counts[key] = count > 1 ? count - 1 : nil
    }
}

/// How long somebody may stay who was let in. A socket lives longer than a request: what its client
/// has shown may expire or be withdrawn, and then REST says 401 and the socket goodbye.
public struct SocketPass: Sendable {
    private let isInForce: @Sendable () -> Bool
    /// What the client is told at the end.
    let ending: String

    /// For tests, and for who needs to show nothing.
    public static let endless = SocketPass(ending: "") { true }

    /// - Parameter isInForce: asked about once a second and before anything is said; it must be quick.
    init(ending: String, _ isInForce: @escaping @Sendable () -> Bool) {
        self.ending = ending
        self.isInForce = isInForce
    }

    /// The pass of a caller whom the policy has admitted by these credentials.
    init(
        _ caller: Caller, _ credentials: Credentials, _ policy: AccessPolicy, _ scope: KeyScope
    ) {
        let pass = Pass(caller, credentials)
        let ending =
            switch pass {
            case .nothing: "a token or a key is needed now"
            case .token: "the token has expired"
            case .key: "the key is not valid any more"
            }
        self.init(ending: ending) { policy.isInForce(pass, for: scope) }
    }

    var holds: Bool { isInForce() }
}

/// A unit that a socket has offered to the lanes and heard nothing of yet.
struct SocketTicket {
    /// Who waits; nil when the socket is gone.
    var handler: SocketHandler?
    /// What the session calls it.
    let tag: UInt64
}
