public import Postgres
import Readings

/// The statements on `sluice.job` for code that requests jobs and for operators.
///
/// Each call is one statement on the caller's connection, in its transaction if one is open.
public enum JobStore {
    /// Requests a job. Any node may run it after the caller's commit.
    ///
    /// - Parameters:
    ///   - key: each kind and key has one job. A waiting job takes this payload and the earlier of
    ///     both times; a running job will run again.
    ///   - payload: JSON.
    public static func enqueue(
        _ kind: JobKind, key: String, payload: String, after delay: Duration = .zero,
        on connection: Connection
    ) throws(PostgresError) {
        var parameters = Parameters()
        parameters.append(text: kind.name)
        parameters.append(text: key)
        parameters.append(text: payload)
        parameters.append(float8: delay.seconds)
        try connection.query(
            "select sluice.enqueue_job($1, $2, $3, now() + $4 * interval '1 second')", parameters)
    }

    /// Jobs that are not done, oldest first.
    ///
    /// - Parameters:
    ///   - state: nil for all.
    ///   - kind: nil for all.
    public static func list(
        state: JobRecord.State? = nil, kind: String? = nil, max: Int = 100,
        on connection: Connection
    ) throws(PostgresError) -> [JobRecord] {
        var parameters = Parameters()
        parameters.append(text: state?.rawValue)
        parameters.append(text: kind)
        parameters.append(int4: Int32(clamping: max))
        let rows = try connection.query(
            """
            select id, kind, key, payload, state, attempts, due_at, lease_owner, last_error,
                failed_at, created_at
            from (select *, \(stateExpression) as state from sluice.job) j
            where ($1 is null or state = $1) and ($2 is null or kind = $2)
            order by id
            limit $3
            """, parameters)
        return (0..<rows.count).map { row in
            let state = JobRecord.State(rawValue: rows.string(row, 4)) ?? .waiting
            return JobRecord(
                id: rows.int64(row, 0), kind: rows.string(row, 1), key: rows.string(row, 2),
                payload: rows.string(row, 3), state: state, attempts: Int(rows.int32(row, 5)),
                dueAt: state == .dead ? nil : time(rows, row, 6),
                owner: state == .running ? text(rows, row, 7) : nil,
                lastError: text(rows, row, 8), failedAt: time(rows, row, 9),
                createdAt: Timestamp(microseconds: rows.timestamp(row, 10)))
        }
    }

    /// How many jobs are in each state.
    public static func counts(
        on connection: Connection
    ) throws(PostgresError) -> [JobRecord.State: Int] {
        let rows = try connection.query(
            "select \(stateExpression), count(*) from sluice.job j group by 1")
        var counts: [JobRecord.State: Int] = [:]
        for row in 0..<rows.count {
            guard let state = JobRecord.State(rawValue: rows.string(row, 0)) else { continue }
            counts[state] = Int(rows.int64(row, 1))
        }
        return counts
    }

    /// Which jobs to run again.
    public enum Choice: Sendable {
        /// One by its id, dead or waiting.
        case job(Int64)
        /// All dead ones of a kind; nil for all kinds.
        case dead(kind: String?)
    }

    /// Makes jobs due now and resets their attempts. Running jobs are left alone.
    ///
    /// - Returns: how many.
    public static func retry(
        _ choice: Choice, on connection: Connection
    ) throws(PostgresError) -> Int {
        var parameters = Parameters()
        let condition: String
        let lock: String
        switch choice {
        case .job(let id):
            parameters.append(int8: id)
            condition = "id = $1 and (lease is null or due_at <= now())"
            lock = "for no key update"
        case .dead(let kind):
            parameters.append(text: kind)
            condition = "dead_at is not null and ($1 is null or kind = $1)"
            // A locked job is being enqueued, which revives it.
            lock = "order by id for no key update skip locked"
        }
        let rows = try connection.query(
            """
            with chosen as (
                update sluice.job set
                    due_at = now(), attempts = 0, dead_at = null, again_at = null,
                    lease = null, lease_owner = null
                where id in (
                    select id from sluice.job where \(condition) \(lock))
                returning id
            )
            select count(*), pg_notify('\(Jobs.channel)', '')::text from chosen
            """, parameters)
        return Int(rows.int64(0, 0))
    }

    private static let stateExpression = """
        case when dead_at is not null then 'dead' \
        when lease is not null and due_at > now() then 'running' else 'waiting' end
        """

    private static func text(_ rows: Rows, _ row: Int, _ column: Int) -> String? {
        rows.isNull(row, column) ? nil : rows.string(row, column)
    }

    private static func time(_ rows: Rows, _ row: Int, _ column: Int) -> Timestamp? {
        rows.isNull(row, column)
            ? nil : Timestamp(microseconds: rows.timestamp(row, column))
    }
}
