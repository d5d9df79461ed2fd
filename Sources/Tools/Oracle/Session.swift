import CLibpq

/// A blocking connection to PostgreSQL for tools; it throws all errors.
public final class Session {
    /// What PostgreSQL or libpq said.
    public struct Failure: Error, CustomStringConvertible {
        /// Five characters; 08006 if the connection is lost.
        public let sqlState: String
        /// The message.
        public let description: String
    }

    /// Bytes passed to libpq at a time. Larger pieces cost more.
    static let pieceBytes = 64 * 1024

    let connection: OpaquePointer

    /// - Parameter url: connection string for libpq, a URI or `key=value` pairs.
    public init(url: String) throws(Failure) {
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
    public func execute(_ sql: String) throws(Failure) {
        _ = try rows(sql)
    }

    /// The rows of one statement as text; NULL is empty.
    public func rows(_ sql: String) throws(Failure) -> [[String]] {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        try check(result)
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
        }
    }

    /// The first field of the first row; 0 if it is no number.
    public func number(_ sql: String) throws(Failure) -> Int {
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
