import Channels
import Synchronization

/// The queue before the spool. Any thread may add to it; the ``SpoolKeeper`` dequeues.
final class SpoolIntake: Sendable {
    private let queue: BoundedChannel<PendingGroup.Item>
    private let hasNews = Atomic(false)
    /// False after the disk was full or failed, until the keeper finds the directory in place.
    let isWriting = Atomic(true)
    /// The keeper's.
    private let loop = Mutex<(any WorkLoop)?>(nil)

    init(bytesMax: Int) { queue = BoundedChannel(bytesMax: bytesMax) }

    /// Wakes this loop from now on.
    func wake(_ loop: any WorkLoop) { self.loop.withLock { $0 = loop } }

    /// Whether a batch of this size would be taken now.
    func hasRoom(for bytes: Int) -> Bool {
        isWriting.load(ordering: .relaxed) && queue.hasRoom(for: bytes)
    }

    /// Takes a batch or unit together with the duty to settle its receipt.
    ///
    /// - Parameter isSibling: another part of the same batch was just taken, so this one is not
    ///   turned away for lack of room.
    /// - Returns: false when it was not taken; the caller answers then.
    func take(_ item: PendingGroup.Item, isSibling: Bool = false) -> Bool {
        guard isSibling || isWriting.load(ordering: .relaxed), item.mayWaitInSpool,
            queue.offer(item, bytes: item.memory, isBound: !isSibling) == .taken
        else { return false }
        hasNews.store(true, ordering: .releasing)
        return true
    }

    /// To be called after a run of ``take(_:isSibling:)``.
    func dispatch() {
        if hasNews.exchange(false, ordering: .acquiring) { loop.withLock { $0 }?.raise() }
    }

    /// Dequeues, until the next member would exceed `bytes`.
    func dequeue(upTo bytes: Int) -> PendingGroup {
        var items: [PendingGroup.Item] = []
        queue.take(upTo: bytes, into: &items)
        return PendingGroup(taking: &items)
    }

    /// Accepts no more; what is queued can still be dequeued.
    func close() { queue.close() }
}
