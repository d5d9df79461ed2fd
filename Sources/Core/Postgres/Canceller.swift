import CLibpq
import Glibc
import Synchronization

/// Asks the server to cancel what a connection is running, from any thread.
///
/// The cancelled command fails with 57014. The request uses a separate connection and blocks
/// without a deadline until the server has accepted it: don't call this on a queue that has other
/// work.
public final class Canceller: Sendable {
    /// libpq's read-only address of the backend. `@unchecked`: never changed after `init`, and
    /// `PQcancel` may run in several threads; freed when the last user lets go.
    private final class Address: @unchecked Sendable {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { PQfreeCancel(pointer) }
    }

    private let address: Mutex<Address?>

    init(_ connection: OpaquePointer) {
        address = Mutex(PQgetCancel(connection).map(Address.init))
    }

    /// - Returns: whether the request was sent; whether it found anything to cancel is not known.
    @discardableResult
    public func cancel() -> Bool {
        // The lock is not held while PQcancel blocks, so that `invalidate` never waits for it.
        guard let address = address.withLock({ $0 }) else { return false }
        var message = [CChar](repeating: 0, count: 256)
        return PQcancel(address.pointer, &message, Int32(message.count)) == 1
    }

    /// The connection is closed: there is nothing to cancel any more.
    func invalidate() {
        address.withLock { $0 = nil }
    }
}
