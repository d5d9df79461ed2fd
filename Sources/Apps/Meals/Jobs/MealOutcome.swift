import Jobs
import Postgres
import Readings

/// A run's result as one statement. It is made before the transaction, so that a retry writes the
/// same.
struct MealOutcome: Sendable {
    private let sql: String
    private let parameters: Parameters

    init(_ log: MealLog) {
        guard let now = log.completedAt else {
            preconditionFailure("BUG: the outcome of a log in \(log.status)")
        }
        var parameters = Parameters()
        parameters.append(text: log.id)
        if let failure = log.failure, log.consultation != nil {
            sql = "select sluice.drop_meal_message($1::text::uuid, $2)"
            parameters.append(
                text: MealFrame.error(
                    failure.message, code: failure.code, suggestions: failure.suggestions,
                    now: now))
        } else {
            sql = """
                select sluice.finish_meal_log(
                    $1::text::uuid, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """
            parameters.append(text: log.status.rawValue)
            parameters.append(jsonb: log.totals?.storedJSON)
            parameters.append(float8: log.confidence)
            parameters.append(text: log.failure?.code)
            parameters.append(text: log.failure?.message)
            let suggestions: [String] = log.failure?.suggestions ?? []
            parameters.append(texts: suggestions)
            parameters.append(timestamptz: log.startedAt?.microseconds)
            parameters.append(timestamptz: now.microseconds)
            parameters.append(jsonb: log.items.isEmpty ? nil : log.items.storedJSON)
            parameters.append(text: log.frame(at: now))
        }
        self.parameters = parameters
    }

    func commit(on connection: Connection) throws(PostgresError) {
        try connection.query(sql, parameters)
    }
}
