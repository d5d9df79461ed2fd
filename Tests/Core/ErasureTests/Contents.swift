import Postgres

/// All rows of all tables, as text.
enum Contents {
    /// Tables that hold rows: those of the schema and the days' partitions.
    static func tables(on connection: Connection) throws -> [String] {
        let rows = try connection.query(
            """
            select format('%I.%I', n.nspname, c.relname)
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ('sluice', 'sluice_partitions') and c.relkind = 'r' order by 1
            """)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// The contents of every table, byte for byte, except the erasures.
    static func all(on connection: Connection) throws -> [String: String] {
        var contents: [String: String] = [:]
        for table in try tables(on: connection) where table != "sluice.erasure" {
            let rows = try connection.query(
                "select coalesce(string_agg(r::text, E'\\n' order by r::text), '') from \(table) r")
            contents[table] = rows.string(0, 0)
        }
        return contents
    }

    /// Columns that contain one of the words, in any type and in any case; bytes are searched as
    /// text.
    static func columns(with words: [String], on connection: Connection) throws -> [String] {
        var found: [String] = []
        for table in try tables(on: connection) {
            let columns = try connection.query(
                """
                select quote_ident(attname), atttypid = 'bytea'::regtype from pg_attribute
                where attrelid = '\(table)'::regclass and attnum > 0 and not attisdropped
                """)
            for column in 0..<columns.count {
                let name = columns.string(column, 0)
                let text = columns.bool(column, 1) ? "encode(\(name), 'escape')" : "\(name)::text"
                for word in words {
                    var parameters = Parameters()
                    parameters.append(text: word)
                    let rows = try connection.query(
                        "select exists (select from \(table) where position(lower($1) in lower(\(text))) > 0)",
                        parameters)
                    if rows.bool(0, 0) { found.append("\(table).\(name): \(word)") }
                }
            }
        }
        return found
    }
}
