import Synchronization

/// Keeps recently read objects open.
///
/// An object's content never changes, so an object that a row names may be read through any source
/// that was opened under its name. An open file keeps its disk space after its name is removed, so
/// a sweep closes all of them first.
final class OpenObjects: Sendable {
    private struct Entry {
        let source: any MediaSource
        var usedAt: UInt64
    }

    private struct State {
        var entries: [ObjectName: Entry] = [:]
        /// Counts uses, to find the least recently used entry.
        var clock: UInt64 = 0
    }

    /// The most objects that are kept open.
    static let countMax = 256

    private let state = Mutex(State())

    func find(_ object: ObjectName) -> (any MediaSource)? {
        state.withLock { state in
            guard let source = state.entries[object]?.source else { return nil }
            state.clock += 1
            state.entries[object]?.usedAt = state.clock
            return source
        }
    }

    /// Keeps a source. Drops the least recently used one when there are more than ``countMax``.
    func keep(_ source: any MediaSource, as object: ObjectName) {
        let closed = state.withLock { state -> (any MediaSource)? in
            state.clock += 1
            state.entries[object] = Entry(source: source, usedAt: state.clock)
            guard state.entries.count > Self.countMax,
                let oldest = state.entries.min(by: { $0.value.usedAt < $1.value.usedAt })
            else { return nil }
            state.entries[oldest.key] = nil
            return oldest.value.source
        }
        // It is closed outside the lock, when its last reader is done.
        _ = closed
    }

    func closeAll() {
        let closed = state.withLock { state in
            defer { state.entries = [:] }
            return state.entries
        }
        _ = closed
    }
}
