/// A statement that a session parses once and runs often.
///
/// Its name consists of its kind, for readers of `pg_prepared_statements`, and a hash of text and
/// types. So a name means the same in every session and every version of Sluice, and no statement
/// is mistaken for another even if a pooler mixes sessions up.
public struct KeptStatement: Sendable, Hashable {
    /// `sluice_KIND_HASH`, not longer than the 63 bytes at which the server cuts names.
    public let name: String
    let text: String
    let types: [OID]

    /// - Parameters:
    ///   - kind: a word; only its first 20 characters are used.
    ///   - text: must not be composed from values.
    ///   - types: of the parameters, in their order.
    public init(_ kind: String, _ text: String, types: [OID]) {
        let signature = types.map { "\($0.rawValue) " }.joined() + text
        name = "sluice_\(kind.prefix(20))_\(Migrator.checksum(Array(signature.utf8)).prefix(16))"
        self.text = text
        self.types = types
    }
}

extension Connection {
    /// Runs one statement that this session parses only the first time.
    @discardableResult
    public func query(
        kept statement: KeptStatement, _ parameters: Parameters = Parameters()
    ) throws(PostgresError) -> Rows {
        try keep(statement)
        return try query(prepared: statement.name, parameters)
    }

    /// Begins a transaction and runs a kept statement in it, in a single round trip once it is
    /// parsed.
    ///
    /// After a refusal the transaction may be open and failed: call ``rollback()``.
    public func begin(
        thenKept statement: KeptStatement, _ parameters: Parameters
    ) throws(PostgresError) -> Rows {
        try keep(statement)
        return try begin(thenPrepared: statement.name, parameters)
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
