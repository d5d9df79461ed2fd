import Postgres

/// A runner's statements on `sluice.job`; those for operators and other modules are in
/// ``JobStore``.
struct JobTable: Sendable {
    /// Shown as the owner of its leases.
    let node: String
    let kinds: [JobKind]
    let lease: Duration

    /// Takes due jobs, the longest overdue first.
    func claim(_ max: Int, on connection: Connection) throws(PostgresError) -> [Job] {
        var parameters = Parameters()
        let names: [String] = kinds.map(\.name)
        parameters.append(texts: names)
        parameters.append(int4: Int32(max))
        parameters.append(text: node)
        parameters.append(float8: lease.seconds)
        let rows = try connection.query(
            """
            with due as materialized (
                select id from sluice.job
                where due_at <= now() and kind = any ($1)
                order by due_at
                limit $2
                for no key update skip locked
            )
            update sluice.job j set
                lease = nextval('sluice.job_lease'), lease_owner = $3,
                due_at = now() + $4 * interval '1 second', again_at = null,
                attempts = j.attempts + 1
            from due where due.id = j.id
            returning j.id, j.kind, j.key, j.payload, j.attempts, j.lease
            """, parameters)
        return (0..<rows.count).map { row in
            Job(
                id: rows.int64(row, 0), kind: JobKind(rows.string(row, 1)),
                key: rows.string(row, 2), payload: rows.string(row, 3),
                attempts: Int(rows.int32(row, 4)), lease: rows.int64(row, 5))
        }
    }

    /// The time until the next job of these kinds is due; nil when there is none. Jobs leased to
    /// others count: their leases may expire.
    func untilNextDue(on connection: Connection) throws(PostgresError) -> Duration? {
        var parameters = Parameters()
        let names: [String] = kinds.map(\.name)
        parameters.append(texts: names)
        let rows = try connection.query(
            """
            select extract(epoch from due_at - now())::float8 from sluice.job
            where due_at < 'infinity' and kind = any ($1)
            order by due_at
            limit 1
            """, parameters)
        return rows.count == 0 ? nil : .seconds(max(rows.float64(0, 0), 0))
    }

    /// Extends leases. Jobs that another transaction has locked are left for the next time: waiting
    /// for one of them would cost the leases of all others.
    ///
    /// - Returns: the leases that are still ours, locked ones included.
    func renew(_ jobs: [Job], on connection: Connection) throws(PostgresError) -> Set<Int64> {
        var parameters = Parameters()
        parameters.append(int8s: jobs.map(\.id))
        parameters.append(int8s: jobs.map(\.lease))
        parameters.append(float8: lease.seconds)
        let rows = try connection.query(
            """
            with ours as materialized (
                select j.id, j.lease from sluice.job j
                join unnest($1, $2) o (id, lease) on o.id = j.id and o.lease = j.lease
            ), held as materialized (
                select j.id from sluice.job j join ours o on o.id = j.id and o.lease = j.lease
                for no key update of j skip locked
            ), renewed as (
                update sluice.job j set due_at = now() + $3 * interval '1 second'
                from held where j.id = held.id
            )
            select lease from ours
            """, parameters)
        return Set((0..<rows.count).map { rows.int64($0, 0) })
    }

    /// Writes the results and removes the job: both or neither.
    ///
    /// - Returns: false when the lease is not ours any more.
    func finish(
        _ job: Job, on connection: Connection, _ commit: (Connection) throws -> Void
    ) throws -> Bool {
        try connection.execute("BEGIN")
        do {
            try commit(connection)
            var parameters = Parameters()
            parameters.append(int8: job.id)
            parameters.append(int8: job.lease)
            let rows = try connection.query("select sluice.finish_job($1, $2)", parameters)
            guard rows.bool(0, 0) else {
                try connection.rollback()
                return false
            }
            try connection.commit()
            return true
        } catch {
            try? connection.rollback()
            throw error
        }
    }

    /// How a run without results ends.
    enum Setback {
        /// Tried again after a pause.
        case pause(Duration, reason: String)
        /// Not tried again.
        case dead(reason: String)
        /// Given back because the server stops. The attempt does not count.
        case givenBack
    }

    /// Ends the lease without a result. Does nothing if the lease is not ours any more.
    ///
    /// - Returns: whether the lease was ours.
    @discardableResult
    func end(
        _ job: Job, _ setback: Setback, on connection: Connection
    ) throws(PostgresError) -> Bool {
        var parameters = Parameters()
        parameters.append(int8: job.id)
        parameters.append(int8: job.lease)
        let change: String
        switch setback {
        case .pause(let pause, let reason):
            parameters.append(float8: pause.seconds)
            parameters.append(text: Self.short(reason))
            // If it was requested again meanwhile, the cause of the failure may be gone.
            change = """
                due_at = least(now() + $3 * interval '1 second', again_at), \
                last_error = $4, failed_at = now()
                """
        case .dead(let reason):
            parameters.append(text: Self.short(reason))
            change = """
                due_at = coalesce(again_at, 'infinity'), last_error = $3, failed_at = now(), \
                attempts = case when again_at is null then attempts else 0 end, \
                dead_at = case when again_at is null then now() end
                """
        case .givenBack:
            change = "due_at = now(), attempts = greatest(attempts - 1, 0)"
        }
        let rows = try connection.query(
            """
            update sluice.job
            set lease = null, lease_owner = null, again_at = null, \(change)
            where id = $1 and lease = $2
            returning pg_notify('\(Jobs.channel)', '')::text
            """, parameters)
        return rows.count == 1
    }

    /// Makes a job dead, unless it was requested again meanwhile, and runs `last` in the same
    /// transaction.
    func bury(
        _ job: Job, reason: String, on connection: Connection,
        _ last: (Connection) throws -> Void
    ) throws {
        try connection.transaction {
            guard try end(job, .dead(reason: reason), on: connection) else { return }
            var parameters = Parameters()
            parameters.append(int8: job.id)
            let rows = try connection.query(
                "select dead_at is not null from sluice.job where id = $1", parameters)
            if rows.count == 1, rows.bool(0, 0) { try last(connection) }
        }
    }

    /// Keeps the beginning of an error, which is enough. PostgreSQL's text can't hold U+0000.
    private static func short(_ reason: String) -> String {
        String(reason.prefix(1000).filter { $0 != "\0" })
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}
