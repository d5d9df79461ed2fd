public import Postgres
public import Schema

/// `sluice export --user`: everything that an erasure of the user would remove, from the same
/// catalogue of tables (`Schema.tables`), and nothing else.
///
/// Rows are JSON objects with the names of the table's columns; `device_key` is followed by the
/// device's id and its user. `sluice import` reads those of readings. One snapshot is read, so that
/// the tables agree. The rows of a day that is sealed or unsealed meanwhile would be younger than it; so
/// that waits. Rows are streamed. What has left the tables, to files of archived days, is not read.
///
/// Not thread-safe; calls block.
public struct UserExport {
    /// A file that the user uploaded.
    public struct File: Sendable, Equatable {
        /// What URLs name, below `/media/`.
        public let path: String
        /// Its content in the media store.
        public let content: ErasedObject
        /// What the bytes are, such as `image/jpeg`.
        public let type: String
    }

    /// Files of archived days, which are not read.
    public struct ArchivedFiles: Sendable, Equatable {
        /// How many.
        public let count: Int
        /// Their first day, `YYYY-MM-DD`.
        public let first: String
        /// Their last day.
        public let last: String

        /// What brings them back into the tables.
        public var command: String { "sluice archive restore --from \(first) --to \(last)" }
    }

    /// A column and what it means.
    public typealias Column = (name: String, meaning: String)

    private let connection: Connection
    private let user: String
    private let keys: String
    private let pattern: String?

    /// Timeout of each statement. It is long because rows are written to a disk meanwhile.
    private static let statementMax: Duration = .seconds(3600)

    /// Begins a transaction, which the connection stays in.
    ///
    /// - Parameters:
    ///   - user: exactly as the app or the device sends it.
    ///   - connection: to a database with this binary's schema.
    public init(_ user: String, on connection: Connection) throws(PostgresError) {
        self.connection = connection
        self.user = user.sqlText
        connection.deadline = .now + Self.statementMax
        try connection.execute(
            """
            SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET extra_float_digits = 1;
            SET standard_conforming_strings = on;
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
            LOCK TABLE ONLY sluice.gps, ONLY sluice.vital, ONLY sluice.event IN ACCESS SHARE MODE
            """)
        var parameters = Parameters()
        parameters.append(text: user)
        let rows = try connection.query(
            "select device_key, device_id from sluice.device where user_id = $1 order by 1",
            parameters)
        let devices = (0..<rows.count).map {
            UserDevice(key: rows.int64($0, 0), id: rows.string($0, 1))
        }
        keys = "'{\(devices.map { String($0.key) }.joined(separator: ","))}'::bigint[]"
        pattern =
            devices.isEmpty ? nil : devices.map(\.pattern).joined(separator: "|").sqlText
    }

    /// The tables that can have rows of a user, in their order in the catalogue.
    public static var tables: [Schema.Table] { Schema.tables.filter(\.isErased) }

    /// The tables that have nobody's rows, and why.
    public static var otherTables: [(name: String, reason: String)] {
        Schema.tables.compactMap { table in
            guard case .nobody(let reason) = table.owner else { return nil }
            return (table.name, reason)
        }
    }

    /// What a table is for, and its columns.
    public func meaning(
        of table: Schema.Table
    ) throws(PostgresError) -> (table: String, columns: [Column]) {
        let rows = try columns(of: table)
        let comment = try query(
            "select coalesce(obj_description('\(table.qualifiedName)'::regclass, 'pg_class'), '')")
        return (
            comment.string(0, 0),
            (0..<rows.count).map { (rows.string($0, 0), rows.string($0, 2)) }
        )
    }

    /// Passes each row of the user to `body`, as one line of JSON with its line break.
    ///
    /// - Returns: the number of rows.
    public func rows(
        of table: Schema.Table, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(PostgresError) -> Int {
        guard
            let condition = UserRows.condition(
                of: table, user: user, keys: keys, pattern: pattern)
        else { preconditionFailure("BUG: \(table.name) has nobody's rows") }
        let columns = try columns(of: table)
        var fields: [String] = []
        var names: Set<String> = []
        for row in 0..<columns.count {
            let name = columns.string(row, 0)
            names.insert(name)
            fields.append(Self.field(name, isBytes: columns.bool(row, 1)))
        }
        // The device's name and user beside its key, where the table does not have them, and the name
        // that a code has here: so the rows can be imported, also elsewhere.
        let isOfDevice = names.contains("device_key") && !names.contains("device_id")
        if isOfDevice {
            fields.insert(
                contentsOf: ["device_id", "user_id"].map { Self.field($0, of: "d") }, at: 1)
        }
        if names.contains("code") {
            fields.append(
                """
                '"metric":' || coalesce((
                    select to_json(m.name)::text from sluice.metric m where m.code = r.code), 'null')
                """)
        }
        let device = isOfDevice ? "join sluice.device d on d.device_key = r.device_key" : ""
        var order = table.key
        if case .day = table.owner {
            order = ["device_key", names.contains("hour") ? "hour" : "t"]
        }
        var count = 0
        for source in try sources(of: table) {
            connection.deadline = .now + Self.statementMax
            // JSON contains neither of these two characters, so nothing is quoted or doubled.
            try connection.copyOut(
                """
                COPY (
                    SELECT '{' || \(fields.joined(separator: " || ',' || ")) || '}'
                    FROM \(source) r \(device)
                    WHERE \(condition)
                    ORDER BY \(order.map { "r.\($0)" }.joined(separator: ", "))
                ) TO STDOUT (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')
                """
            ) { line in
                count += 1
                body(line)
            }
        }
        return count
    }

    /// The files whose contents are in the media store, each once for each of its paths; no
    /// thumbnails.
    public func files() throws(PostgresError) -> [File] {
        let rows = try query(
            """
            select r.path, r.object, r.bytes, r.content_type from sluice.media_file r
            where \(Eraser.isOfUser("r").replacing("$1", with: user))
                and not exists (select from sluice.journal_thumbnail t where t.path = r.path)
            order by r.path
            """)
        return (0..<rows.count).map { row in
            File(
                path: rows.string(row, 0),
                content: ErasedObject(name: rows.string(row, 1), bytes: Int(rows.int64(row, 2))),
                type: rows.string(row, 3))
        }
    }

    /// The files of days that have left the tables, which may have readings of the user; nil if
    /// there are none, or the user has no device.
    public func archivedFiles() throws(PostgresError) -> ArchivedFiles? {
        guard pattern != nil else { return nil }
        let rows = try query(
            """
            select count(*), min(day)::text, max(day)::text from sluice.archive
            where state = 'gone' and file is not null having count(*) > 0
            """)
        guard rows.count > 0 else { return nil }
        return ArchivedFiles(
            count: Int(rows.int64(0, 0)), first: rows.string(0, 1), last: rows.string(0, 2))
    }

    // MARK: -

    private func query(_ sql: String) throws(PostgresError) -> Rows {
        connection.deadline = .now + Self.statementMax
        return try connection.query(sql)
    }

    /// Name, whether it is `bytea`, and comment of each column.
    private func columns(of table: Schema.Table) throws(PostgresError) -> Rows {
        try query(
            """
            select a.attname::text, a.atttypid = 'bytea'::regtype,
                coalesce(col_description(a.attrelid, a.attnum), '')
            from pg_attribute a
            where a.attrelid = '\(table.qualifiedName)'::regclass and a.attnum > 0
                and not a.attisdropped
            order by a.attnum
            """)
    }

    /// The table, and days of it that are about to leave and still exist by themselves.
    private func sources(of table: Schema.Table) throws(PostgresError) -> [String] {
        guard case .day = table.owner else { return [table.qualifiedName] }
        let rows = try query(
            """
            select format('%I.%I', n.nspname, c.relname)
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = 'sluice_partitions' and c.relkind = 'r'
                and c.relname ~ '^leaving_\\d+_\(table.name)_\\d{8}$' and not c.relispartition
            order by right(c.relname, 8)
            """)
        return [table.qualifiedName] + (0..<rows.count).map { rows.string($0, 0) }
    }

    /// Texts that were sent are shown as texts; digests in hexadecimal.
    private static func field(
        _ name: String, isBytes: Bool = false, of row: String = "r"
    ) -> String {
        let column = "\(row).\"\(name)\""
        let value =
            isBytes
            ? "encode(\(column), '\(["body", "payload"].contains(name) ? "escape" : "hex")')"
            : column
        return "'\"\(name)\":' || coalesce(to_json(\(value))::text, 'null')"
    }
}

extension String {
    /// An SQL literal, for statements that take no parameters.
    fileprivate var sqlText: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
