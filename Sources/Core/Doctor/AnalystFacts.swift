import Analysts
import Postgres

/// The roles of analysts.
public struct AnalystFacts: Sendable, Equatable {
    /// All of them.
    public var names: [String] = []
    /// Those that can't log in or lack the reader's rights: `sluice analyst drop` stopped halfway.
    public var incomplete: [String] = []
    /// Those without the limits of time that they were made with.
    public var unlimited: [String] = []
    /// The group role lacks the right to read the schema `analytics`.
    public var readNothing = false

    /// No analysts.
    public init() {}
}

extension DatabaseFacts {
    mutating func askAnalysts(_ interview: Interview) throws(PostgresError) {
        do throws(AnalystFault) {
            let roles = try Analysts.list(on: interview.connection)
            analysts.names = roles.map(\.name)
            analysts.incomplete = roles.filter { !$0.isWhole }.map(\.name)
            analysts.unlimited = roles.filter { $0.isWhole && !$0.isLimited }.map(\.name)
        } catch {
            guard case .database(let cause) = error, cause.kind == .refused else {
                throw PostgresError(.connectionLost, message: "\(error)")
            }
        }
        let rights = """
            select not has_schema_privilege(r, n.oid, 'usage') or exists (
                select from pg_class c where c.relnamespace = n.oid and c.relkind = 'v'
                    and not has_table_privilege(r, c.oid, 'select'))
            from to_regrole('\(Analysts.reader)') r, pg_namespace n
            where n.nspname = 'analytics' and r is not null
            """
        if let rows = try interview.ask(rights) { analysts.readNothing = rows.bool(0, 0) }
    }
}
