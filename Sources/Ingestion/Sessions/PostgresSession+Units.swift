import Postgres
import Readings

/// Units of work, by way of their kinds' statements.
extension PostgresSession {
    /// Parses each kind's statement once for the session. A failure leaves what is prepared.
    func record(
        _ kind: UnitKind, _ units: [GroupUnit], begins: Bool
    ) throws(PostgresError) -> [String] {
        if begins { times = GroupTimes() }
        let start = ContinuousClock.now
        defer { times.copy += .now - start }
        parameters.removeAll()
        parameters.append(texts: units.lazy.map { $0.unit.payload })
        parameters.append(timestamptzs: units.lazy.map { $0.receivedAt.microseconds })
        parameters.append(bools: units.lazy.map(\.isLate))
        let rows =
            begins
            ? try connection.begin(thenKept: kind.statement, parameters)
            : try connection.query(kept: kind.statement, parameters)
        return try Self.results(rows, count: units.count)
    }

    /// A statement that doesn't keep to what ``UnitKind`` says costs its own units, and no process.
    private static func results(_ rows: Rows, count: Int) throws(PostgresError) -> [String] {
        var results = [String?](repeating: nil, count: count)
        for row in 0..<rows.count {
            guard rows.columnCount == 2, !rows.isNull(row, 0), rows.bytes(row, 0).count == 4,
                results.indices.contains(Int(rows.int32(row, 0)) - 1), !rows.isNull(row, 1)
            else { continue }
            results[Int(rows.int32(row, 0)) - 1] = rows.string(row, 1)
        }
        let told = results.compactMap { $0 }
        guard told.count == count, rows.count == count else {
            throw PostgresError(
                .refused,
                message: "the statement of a kind of units gave \(rows.count) rows for \(count)")
        }
        return told
    }

    func setAside(_ units: [GroupUnit], begins: Bool) throws(PostgresError) {
        if begins { try connection.execute("BEGIN") }
        parameters.removeAll()
        parameters.append(texts: units.lazy.map(\.unit.kind.name))
        parameters.append(byteas: units.lazy.map { Array($0.unit.payload.utf8) })
        parameters.append(texts: units.lazy.map { $0.refusal?.sqlState })
        parameters.append(texts: units.lazy.map { $0.refusal?.reason.rawValue })
        parameters.append(timestamptzs: units.lazy.map { $0.receivedAt.microseconds })
        try connection.query(ClaimStatements.setAsideUnits, parameters)
    }
}
