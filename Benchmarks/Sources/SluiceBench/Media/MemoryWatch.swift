import Foundation
import Synchronization

/// Samples a server's resident memory on a thread of its own, and keeps the maximum.
final class MemoryWatch: Sendable {
    private let mostBytes = Mutex(0)
    private let isStopped = Mutex(false)

    init(_ server: ServerUnderTest, microseconds: UInt32) {
        let path = server.memoryPath
        Thread.detachNewThread { [self] in
            while !isStopped.withLock({ $0 }) {
                let bytes = ServerUnderTest.residentBytes(at: path)
                mostBytes.withLock { $0 = max($0, bytes) }
                usleep(microseconds)
            }
        }
    }

    /// - Returns: the maximum.
    @discardableResult
    func stop() -> Int {
        isStopped.withLock { $0 = true }
        return mostBytes.withLock { $0 }
    }
}
