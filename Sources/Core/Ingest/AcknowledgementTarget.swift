/// Where the answers to batches go, or those to units; one object for each event loop.
public protocol AcknowledgementTarget<Committed>: AnyObject, Sendable {
    /// What the outcomes say of what was committed.
    associatedtype Committed: Sendable & Equatable

    /// Called with all of a group's answers for this target, on the thread of a lane, the spool,
    /// the watcher of standbys or an offer. It must not block.
    func deliver(_ acknowledgements: [Outcome<Committed>.Acknowledgement])
}

/// Where the answers to batches go.
public typealias BatchTarget = any AcknowledgementTarget<BatchCounts>

/// Where the answers to units go.
public typealias UnitTarget = any AcknowledgementTarget<String>
