extension Connection {
    /// Runs one statement that this session parses only the first time: for what is asked again and
    /// again. Each text stays with the session, so none may be put together from values.
    ///
    /// - Parameter parameters: of the same types each time.
    @discardableResult
    public func query(
        keeping sql: StaticString, _ parameters: Parameters
    ) throws(PostgresError) -> Rows {
        let text = "\(sql)"
        let name: String
        if let kept = keptStatements[text] {
            name = kept
        } else {
            name = "sluice_kept_\(keptStatements.count)"
            try prepare(name, text, types: parameters.entries.map(\.type))
            keptStatements[text] = name
        }
        do throws(PostgresError) {
            return try query(prepared: name, parameters)
        } catch {
            // A table has changed under the statement, whose result is no longer what it was: the
            // server keeps refusing it, though not its text.
            guard error.sqlState == "0A000", isIdle else { throw error }
            return try query(text, parameters)
        }
    }
}
