public import Auth
public import Postgres
public import Readings

/// The services of the meal routes and sockets.
public struct MealServices: Sendable {
    let access: AccessPolicy
    let database: Database
    let estimatedSeconds: Int
    let acknowledgeWithin: Duration
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - database: holds logs, foods and consultations.
    ///   - estimatedSeconds: the parsing time that a client is told.
    ///   - acknowledgeWithin: time from a log to its commit; then the client is asked to look
    ///     later, though it may still be committed.
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
