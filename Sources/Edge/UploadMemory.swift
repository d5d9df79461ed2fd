import Synchronization

/// Bounds the bytes of all uploads' bodies that have come and are not yet with the disk.
///
/// Each upload has a little of its own, so that none waits for another; what goes beyond that is lent
/// from one store. Few uploads therefore come in large pieces, and many can't take more than
/// ``ownBytes`` and one read each.
final class UploadMemory: Sendable {
    /// What each upload may hold whatever others do.
    static let ownBytes = 4 << 10
    /// What one may hold while there is enough for all.
    static let windowBytes = 512 << 10
    /// Bytes that are worth waking a thread for. It costs some 10 µs.
    static let wakeBytes = 128 << 10
    /// What can be lent in all; one read of each upload may go beyond it.
    static let lentBytesMax = 4 << 20

    /// How much of a body is read at a time while there are few uploads, and while there are many.
    static let (readBytesMax, readBytesMin) = (64 << 10, 32 << 10)
    /// Uploads that are few.
    static let fewUploadsMax = 32

    private let lentBytes = Atomic(0)
    private let uploads = Atomic(0)

    /// One more upload; to be balanced with ``leave()``.
    ///
    /// - Returns: how much of its body is to be read at a time.
    func enter() -> Int {
        let count = uploads.wrappingAdd(1, ordering: .relaxed).newValue
        return count <= Self.fewUploadsMax ? Self.readBytesMax : Self.readBytesMin
    }

    func leave() { uploads.wrappingSubtract(1, ordering: .relaxed) }

    /// Counts bytes that are there already, or, where negative, that are gone.
    func lend(_ bytes: Int) {
        guard bytes != 0 else { return }
        let lent = lentBytes.wrappingAdd(bytes, ordering: .relaxed).newValue
        precondition(lent >= 0, "BUG: lent=\(lent)")
    }

    var hasMore: Bool { lentBytes.load(ordering: .relaxed) < Self.lentBytesMax }
}
