import Auth
import Synchronization

/// Counts the sockets of each user and address, over all loops, so that nobody can hold all of
/// them.
///
/// A user may hold a fixed number. Where no credentials are required, any user name may be given,
/// so the client's address counts too: it may hold at most four times as many sockets as are free,
/// which is four fifths of all. Behind a proxy all clients share one address.
final class SocketHolders: Sendable {
    private struct State {
        var users: [String: Int] = [:]
        var addresses: [ClientAddress: Int] = [:]
    }

    /// The rule of ``KeyLimits/reserve(_:free:)``.
    private static let shareOfFree = 4

    private let state = Mutex(State())

    /// - Parameters:
    ///   - address: of a client without credentials; nil for others.
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

    /// Balance with ``remove(user:address:)``.
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
