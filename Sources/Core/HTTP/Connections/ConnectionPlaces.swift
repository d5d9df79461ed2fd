import NIOCore
import Synchronization

/// The places of connections, over all event loops, and who holds them.
///
/// - ``HTTPConfiguration/connectionsMax`` places serve everything. A connection takes one when it
///   is accepted and returns it when it closes or becomes a WebSocket.
/// - A connection without a place is a *surplus* one. The idle connection that can best be spared
///   is closed for it (``EvictionOrder``), and it takes the free place at its next request. If
///   there is none, it gets the probes' answers (``Route/isProbe``) and a 503 for all else. So
///   `/health` has room whatever others do.
/// - There are ``HTTPConfiguration/surplusMax`` of those. One more closes a surplus connection that
///   rests; if none does, it is closed at once.
/// - Of both kinds one address may have a share (``SharedPlaces``): there is always room for
///   another address. Behind a proxy all clients share its address.
final class ConnectionPlaces: Sendable {
    /// What the places of a kind are for.
    enum Kind {
        case regular
        case surplus
    }

    typealias Refusal = SharedPlaces<ClientAddress>.Refusal

    private struct State {
        var regular: SharedPlaces<ClientAddress>
        var surplus: SharedPlaces<ClientAddress>

        subscript(_ kind: Kind) -> SharedPlaces<ClientAddress> {
            get { kind == .regular ? regular : surplus }
            _modify {
                switch kind {
                case .regular: yield &regular
                case .surplus: yield &surplus
                }
            }
        }
    }

    private let state: Mutex<State>

    init(connectionsMax: Int, surplusMax: Int) {
        state = Mutex(
            State(
                regular: SharedPlaces(max: connectionsMax), surplus: SharedPlaces(max: surplusMax)))
    }

    /// Takes a place. Balance with ``giveBack(_:_:)`` if the result is nil.
    func take(_ kind: Kind, _ address: ClientAddress?) -> Refusal? {
        state.withLock { $0[kind].take(address) }
    }

    /// Why ``take(_:_:)`` would fail; nil if it would not.
    func refusal(_ kind: Kind, for address: ClientAddress?) -> Refusal? {
        state.withLock { $0[kind].refusal(for: address) }
    }

    func giveBack(_ kind: Kind, _ address: ClientAddress?) {
        state.withLock { $0[kind].giveBack(address) }
    }

    /// Exchanges a surplus place for one that serves everything, if there is one.
    func promote(_ address: ClientAddress?) -> Bool {
        state.withLock { state in
            guard state.regular.take(address) == nil else { return false }
            state.surplus.giveBack(address)
            return true
        }
    }

    /// The places as they are now.
    func snapshot(_ kind: Kind) -> SharedPlaces<ClientAddress> { state.withLock { $0[kind] } }
}
