import Dispatch
import Foundation
import Load
import Synchronization

/// Threads that do the same thing at the same time.
enum Crowd {
    /// - Throws: the error of one of them.
    /// - Returns: `bytes` a second, from the start until the last thread has ended.
    static func rate(
        of bytes: Int, by count: Int, _ body: @escaping @Sendable (Int) throws -> Void
    ) throws -> Double {
        let failure = Mutex<(any Error)?>(nil)
        let group = DispatchGroup()
        let start = monotonicNanoseconds()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    try body(number)
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
        return Double(bytes) / (Double(monotonicNanoseconds() - start) * 1e-9)
    }
}
