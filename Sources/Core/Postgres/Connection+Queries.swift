import CLibpq
import Glibc

extension Connection {
    /// Runs one or more statements in the simple protocol: one round trip, and one transaction
    /// unless `sql` says otherwise.
    ///
    /// - Returns: rows affected by the last statement.
    @discardableResult
    public func execute(_ sql: String) throws(PostgresError) -> Int {
        let handle = try live()
        guard PQsendQuery(handle, sql) == 1 else { throw abandonUnsent(handle) }
        try flush()
        return try finish()?.affectedCount ?? 0
    }

    /// Runs one statement, planned for these parameters.
    @discardableResult
    public func query(
        _ sql: String, _ parameters: Parameters = Parameters()
    ) throws(PostgresError) -> Rows {
        let handle = try live()
        guard Self.send(sql, prepared: false, parameters, handle) else {
            throw abandonUnsent(handle)
        }
        try flush()
        return try finishWithRows()
    }

    /// Parses `sql` once for this session. See ``KeptStatement`` for names.
    func prepare(_ name: String, _ sql: String, types: [OID]) throws(PostgresError) {
        let handle = try live()
        let types = types.map(\.rawValue)
        guard PQsendPrepare(handle, name, sql, Int32(types.count), types) == 1 else {
            throw abandonUnsent(handle)
        }
        try flush()
        _ = try finish()
    }

    /// Runs a statement that ``prepare(_:_:types:)`` made; the types are those given there.
    func query(
        prepared name: String, _ parameters: Parameters
    ) throws(PostgresError) -> Rows {
        let handle = try live()
        guard Self.send(name, prepared: true, parameters, handle) else {
            throw abandonUnsent(handle)
        }
        try flush()
        return try finishWithRows()
    }

    /// Commits the transaction. After `.connectionLost` or `.deadlineExceeded` the outcome is
    /// unknown.
    ///
    /// If commits wait for standbys, this one waits even if it has changed nothing: it may be the
    /// retry of a transaction that is committed but has not reached the standbys yet. A commit that
    /// writes no log does not wait, so it writes a message.
    ///
    /// - Throws: 25P02 when the transaction had failed before; it is then rolled back.
    public func commit() throws(PostgresError) {
        let handle = try live()
        guard PQsendQuery(handle, Self.messageStatement + "; COMMIT") == 1 else {
            throw abandonUnsent(handle)
        }
        try flush()
        do throws(PostgresError) {
            try Self.refuseRollback(finish())
        } catch {
            if isOpen { try rollback() }
            throw error
        }
    }

    /// Writes a message to the log if commits wait for standbys.
    static let messageStatement = """
        SELECT pg_catalog.pg_logical_emit_message(true, 'sluice', '')
        WHERE pg_catalog.current_setting('synchronous_standby_names') <> ''
            AND pg_catalog.current_setting('transaction_read_only') = 'off'
        """

    /// Rolls back the transaction if one is open. Closes the connection if that fails.
    public func rollback() throws(PostgresError) {
        guard isOpen, !isIdle else { return }
        do throws(PostgresError) {
            try execute("ROLLBACK")
        } catch {
            close()
            throw error
        }
    }

    /// Runs `body` between BEGIN and COMMIT; rolls back when it throws.
    ///
    /// - Parameter attempts: how often `body` may be run. In a deadlock PostgreSQL rolls one
    ///   transaction back (40P01) and the others continue: `body` may then be run again.
    public func transaction<Value>(
        attempts: Int = 1, _ body: () throws -> Value
    ) throws -> Value {
        var attempt = 1
        while true {
            try execute("BEGIN")
            do {
                let value = try body()
                try commit()
                return value
            } catch {
                try? rollback()
                guard letsOthersPass(after: error, attempt, of: attempts) else { throw error }
                attempt += 1
            }
        }
    }

    /// Whether to retry a transaction that was rolled back because of a deadlock (40P01). If so,
    /// waits a moment first: the other transaction has only just been woken, and would find its
    /// rows locked again.
    public func letsOthersPass(
        after error: any Error, _ attempt: Int, of attempts: Int
    ) -> Bool {
        guard (error as? PostgresError)?.sqlState == "40P01", isOpen, attempt < attempts else {
            return false
        }
        usleep(UInt32.random(in: 10_000...50_000) * UInt32(attempt))
        return true
    }

    // MARK: Results

    /// Throws if a COMMIT was answered with ROLLBACK: the transaction had failed before.
    static func refuseRollback(_ rows: Rows?) throws(PostgresError) {
        guard rows?.isRollback != true else {
            throw PostgresError(
                .refused, sqlState: .inFailedTransaction, message: "the transaction had failed")
        }
    }

    /// Reads all results of a command.
    ///
    /// - Returns: the last one. Throws the first failure once the connection is ready again.
    func finish() throws(PostgresError) -> Rows? {
        let handle = try live()
        var last: Rows?
        var firstFailure: PostgresError?
        while let rows = try nextResult() {
            switch rows.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                last = rows
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                throw abandon(.protocolViolation, message: "COPY where none is expected")
            default:
                let failure = failure(of: rows, handle)
                guard isOpen else { throw firstFailure ?? failure }
                firstFailure = firstFailure ?? failure
            }
        }
        if let firstFailure { throw firstFailure }
        try awaitStandbys()
        return last
    }

    private func finishWithRows() throws(PostgresError) -> Rows {
        guard let rows = try finish() else {
            throw abandon(.protocolViolation, message: "a statement without a result")
        }
        return rows
    }

    // MARK: Sending

    static func send(
        _ text: String, prepared: Bool, _ parameters: Parameters, _ handle: OpaquePointer
    ) -> Bool {
        parameters.bytes.withUnsafeBytes { bytes in
            // An empty value needs an address too: nil would be NULL.
            let base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
            let types = parameters.entries.map(\.type.rawValue)
            let values = parameters.entries.map { entry in
                entry.length < 0
                    ? nil : (base + entry.offset).assumingMemoryBound(to: CChar.self)
            }
            let lengths = parameters.entries.map { Int32(max($0.length, 0)) }
            let formats = [Int32](repeating: 1, count: parameters.count)
            let count = Int32(parameters.count)
            return prepared
                ? PQsendQueryPrepared(handle, text, count, values, lengths, formats, 1) == 1
                : PQsendQueryParams(handle, text, count, types, values, lengths, formats, 1) == 1
        }
    }
}
