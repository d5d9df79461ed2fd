import Synchronization

/// Objects that were read lately, left open.
///
/// An object's content never changes, so one that a row names may be read through whatever was opened
/// under its name. What is open here keeps its room on the disk when its name goes; so a sweep closes
/// all of it first.
final class OpenObjects: Sendable {
    private struct Entry {
        let source: any MediaSource
        var usedAt: UInt64
    }

    private struct State {
        var entries: [ObjectName: Entry] = [:]
        /// Counts uses.
        var clock: UInt64 = 0
    }

    /// Descriptors that are kept at most.
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

    /// The least recently used one goes where there are too many.
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
        // Closed outside of the lock, unless somebody reads from it.
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
