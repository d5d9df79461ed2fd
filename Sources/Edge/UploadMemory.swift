import Synchronization

/// Bounds the bytes of all uploads' bodies that have come and are not yet with the disk.
///
/// Each upload has a little of its own, so that none waits for another; what goes beyond that is lent
/// from one store. Few uploads therefore come in large pieces, and many can't take more than
/// ``ownBytes`` and one read each.
final class UploadMemory: Sendable {
    /// What each upload may hold whatever others do.
    static let ownBytes = 16 << 10
    /// What one may hold while there is enough for all.
    static let windowBytes = 512 << 10
    /// Bytes that are worth waking a thread for. It costs some 10 µs.
    static let wakeBytes = 128 << 10
    /// What can be lent in all; one read of each upload may go beyond it.
    static let lentBytesMax = 4 << 20

    private let lentBytes = Atomic(0)

    /// Counts bytes that are there already, or, where negative, that are gone.
    func lend(_ bytes: Int) {
        guard bytes != 0 else { return }
        let lent = lentBytes.wrappingAdd(bytes, ordering: .relaxed).newValue
        precondition(lent >= 0, "BUG: lent=\(lent)")
    }

    var hasMore: Bool { lentBytes.load(ordering: .relaxed) < Self.lentBytesMax }
}
