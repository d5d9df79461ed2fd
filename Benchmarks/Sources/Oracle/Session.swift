import CPostgresClient

/// A blocking connection to PostgreSQL for tools; it throws all errors.
package final class Session {
    package struct Failure: Error, CustomStringConvertible {
        package let sqlState: String
        package let description: String
    }

    /// Bytes passed to libpq at a time. Larger pieces cost more.
    static let pieceBytes = 64 * 1024

    let connection: OpaquePointer

    /// - Parameter url: connection string for libpq, a URI or `key=value` pairs.
    package init(url: String) throws(Failure) {
        guard let connection = PQconnectdb(url) else {
            throw Failure(sqlState: "53200", description: "no memory for a connection")
        }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else {
            throw Failure(
                sqlState: "08001", description: String(cString: PQerrorMessage(connection)))
        }
        try execute("set client_min_messages = warning; set timezone = 'UTC'")
    }

    deinit {
        PQfinish(connection)
    }

    /// Runs statements and ignores their results.
    package func execute(_ sql: String) throws(Failure) {
        _ = try rows(sql)
    }

    /// The rows of one statement as text; NULL is empty.
    package func rows(_ sql: String) throws(Failure) -> [[String]] {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        try check(result)
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
        }
    }

    package func number(_ sql: String) throws(Failure) -> Int {
        Int(try rows(sql).first?.first ?? "") ?? 0
    }

    func check(_ result: OpaquePointer?) throws(Failure) {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_EMPTY_QUERY:
            return
        default:
            throw failure(result)
        }
    }

    private func failure(_ result: OpaquePointer?) -> Failure {
        // 'C', the SQLSTATE.
        let state = PQresultErrorField(result, 67).map { String(cString: $0) } ?? "08006"
        return Failure(sqlState: state, description: String(cString: PQerrorMessage(connection)))
    }
}
