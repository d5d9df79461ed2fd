import Postgres
import Synchronization
import TestSupport

/// A proxy between a client and a server. On demand it drops a connection after the server has
/// answered COMMIT and before the client has received the answer.
final class CommitCutter: Sendable {
    private let relay: UnixRelay
    private let order = Order()

    var settings: ConnectionSettings { relay.settings }
    var cuts: Int { order.cutCount.load(ordering: .relaxed) }

    init(to server: ConnectionSettings) throws {
        relay = try UnixRelay(to: server) { [order] in order }
    }

    func cutNextCommit() {
        order.isArmed.store(true, ordering: .releasing)
    }

    func stop() { relay.stop() }

    /// One for all connections.
    private final class Order: UnixRelay.Watcher {
        let isArmed = Atomic(false)
        let cutCount = Atomic(0)
        private static let tag = Array("COMMIT\0".utf8)

        func willForward(toServer bytes: ArraySlice<UInt8>) {}

        func willForward(toClient bytes: ArraySlice<UInt8>) -> Bool {
            guard isArmed.load(ordering: .acquiring), bytes.firstRange(of: Self.tag) != nil else {
                return true
            }
            isArmed.store(false, ordering: .relaxed)
            cutCount.add(1, ordering: .relaxed)
            return false
        }
    }
}
