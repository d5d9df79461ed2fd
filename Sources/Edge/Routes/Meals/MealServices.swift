public import Access
public import Postgres
public import Readings

/// What the routes and sockets of meal logs work with.
public struct MealServices: Sendable {
    let access: AccessPolicy
    let database: Database
    let estimatedSeconds: Int
    let acknowledgeWithin: Duration
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - database: where logs, foods and consultations are.
    ///   - estimatedSeconds: what a client is told that its log's parser will take.
    ///   - acknowledgeWithin: from a log to its commit; then the client is told to look later, though
    ///     it may still be committed.
    ///   - clock: the wall clock.
    public init(
        access: AccessPolicy, database: Database, estimatedSeconds: Int = 1,
        acknowledgeWithin: Duration = .seconds(30), clock: @escaping @Sendable () -> Timestamp
    ) {
        self.access = access
        self.database = database
        self.estimatedSeconds = estimatedSeconds
        self.acknowledgeWithin = acknowledgeWithin
        self.clock = clock
    }
}
