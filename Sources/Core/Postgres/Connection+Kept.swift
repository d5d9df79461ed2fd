extension Connection {
    /// Runs one statement that this session parses only the first time.
    @discardableResult
    public func query(
        kept statement: KeptStatement, _ parameters: Parameters = Parameters()
    ) throws(PostgresError) -> Rows {
        try keep(statement)
        return try query(prepared: statement.name, parameters)
    }

    /// Parses a statement for this session if that was not done yet.
    public func keep(_ statement: KeptStatement) throws(PostgresError) {
        guard !keptNames.contains(statement.name) else { return }
        try prepare(statement.name, statement.text, types: statement.types)
        keptNames.insert(statement.name)
    }

    /// Parses a kept statement again, because its plan is from before a change of the tables.
    public func renew(_ statement: KeptStatement) throws(PostgresError) {
        if keptNames.contains(statement.name) {
            try execute("DEALLOCATE \"\(statement.name)\"")
            keptNames.remove(statement.name)
        }
        try keep(statement)
    }

    /// ``query(kept:_:)`` for a literal text; the session keeps the statement of each.
    ///
    /// - Parameter parameters: of the same types each time.
    @discardableResult
    public func query(
        keeping sql: StaticString, _ parameters: Parameters
    ) throws(PostgresError) -> Rows {
        let text = "\(sql)"
        let statement =
            keptTexts[text]
            ?? KeptStatement("query", text, types: parameters.entries.map(\.type))
        keptTexts[text] = statement
        do throws(PostgresError) {
            return try query(kept: statement, parameters)
        } catch {
            // A change of a table has changed the statement's result type. The server keeps
            // refusing the parsed statement, but not its text.
            guard error.sqlState == "0A000", isIdle else { throw error }
            try renew(statement)
            return try query(kept: statement, parameters)
        }
    }
}
