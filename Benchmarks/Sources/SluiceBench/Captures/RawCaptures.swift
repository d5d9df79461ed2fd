import Foundation
import Load
import Oracle
import Synchronization

/// The same commits without Sluice: each connection stores one group after the other.
struct RawCaptures {
    let database: String
    let connections: Int
    let group: Int

    private struct Progress {
        var next = 0
        var failure: (any Error)?
    }

    /// Stores all, and waits for the last commit.
    ///
    /// - Returns: captures a second.
    func store(_ payloads: [String]) throws -> Double {
        let sessions = try (0..<connections).map { _ in try Session(url: database) }
        for session in sessions {
            try session.prepare("store", "select place, result from sluice.store_captures($1)")
        }
        let progress = Mutex(Progress())
        let threads = DispatchGroup()
        let start = monotonicNanoseconds()
        for session in sessions {
            let session = Handed(session)
            threads.enter()
            Thread.detachNewThread { [group] in
                defer { threads.leave() }
                while true {
                    let range = progress.withLock { state -> Range<Int>? in
                        guard state.failure == nil, state.next < payloads.count else { return nil }
                        defer { state.next += group }
                        return state.next..<min(state.next + group, payloads.count)
                    }
                    guard let range else { return }
                    do {
                        let rows = try session.value.run("store", Array(payloads[range]))
                        precondition(rows == range.count, "BUG: rows=\(rows)")
                    } catch {
                        progress.withLock { $0.failure = error }
                    }
                }
            }
        }
        threads.wait()
        let seconds = Double(monotonicNanoseconds() - start) * 1e-9
        if let failure = progress.withLock({ $0.failure }) { throw failure }
        return Double(payloads.count) / seconds
    }

    /// One thread has it from here on.
    private struct Handed: @unchecked Sendable {
        // Guard of `@unchecked`: handed over once, before its thread starts.
        let value: Session
        init(_ value: Session) { self.value = value }
    }
}
