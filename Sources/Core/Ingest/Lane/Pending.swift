/// A device batch or a unit on its way through lanes and spool, with its receipt.
struct Pending<Payload: LanePayload>: Sendable {
    var payload: Payload
    /// nil: nobody waits for it any more.
    var receipt: Payload.Waiter?
    let offeredAt: ContinuousClock.Instant
    /// Its COMMIT was sent and not answered: it may be committed.
    var isInDoubt = false

    /// Whether the spool takes it if the database does not.
    var mayWaitInSpool: Bool { isInDoubt || payload.mayWaitInSpool }
}
