import Foundation
import Spooling

/// Compresses groups on a thread of its own, two ahead at most.
final class Belt: @unchecked Sendable {
    private let groups: [[[UInt8]]]
    /// Guarded by `lock`.
    private var finished: [[CompressedPayload]] = []
    private var taken = 0
    private let lock = NSLock()
    private let room = DispatchSemaphore(value: 2)
    private let work = DispatchSemaphore(value: 0)

    init(_ groups: [[[UInt8]]]) { self.groups = groups }

    func start() {
        Thread.detachNewThread { [self] in
            for group in groups {
                room.wait()
                let compressed = group.map { $0.withUnsafeBytes { CompressedPayload($0) } }
                lock.withLock { finished.append(compressed) }
                work.signal()
            }
        }
    }

    func next() -> [CompressedPayload]? {
        guard taken < groups.count else { return nil }
        taken += 1
        work.wait()
        room.signal()
        return lock.withLock { finished.removeFirst() }
    }
}
