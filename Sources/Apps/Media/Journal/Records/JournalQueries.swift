import Postgres

/// Queries that return the journal's rows as JSON in the shapes that the apps decode. Each question
/// is one statement.
///
/// In each statement `$1` is the URL that a file's id is appended to. Arrays are never null.
/// `errors` is null here. Integers have no fraction. Times are milliseconds since 1970.
/// ``JournalRecord/answer(filesURL:errors:)`` has the same shapes.
struct JournalQueries {
    let filesURL: String

    struct Table {
        let name: String
        let key: String
        /// The column that a list is sorted by, newest first.
        let time: String
        /// The apps' word for one record; ``words`` is the plural.
        let word: String
        let words: String
        /// The SQL expression for record `r` with its files `f` as JSON.
        let json: String
    }

    static func table(_ kind: JournalKind) -> Table {
        switch kind {
        case .mood:
            Table(
                name: "mood", key: "mood_id", time: "created_at", word: "mood", words: "moods",
                json: object(
                    ("id", "r.mood_id"), ("mood", "r.mood"), ("note", "r.note"),
                    ("voiceNote", "f.voice_note"),
                    (
                        "voiceNoteDuration",
                        "case when f.voice_note is not null then r.voice_note_duration end"
                    ),
                    ("reason", "r.reason"), ("tags", "r.tags"), ("interests", "r.interests"),
                    ("moodIntensity", "r.intensity"), ("createdAt", time("r.created_at")),
                    ("imageUrls", "f.urls"), ("files", "f.files")))
        case .keepsake:
            Table(
                name: "keepsake", key: "keepsake_id", time: "created_at", word: "memory",
                words: "memories",
                json: object(
                    ("id", "r.keepsake_id"), ("title", "r.title"),
                    ("description", "r.description"), ("location", "r.location"),
                    ("tags", "r.tags"), ("createdAt", time("r.created_at")),
                    ("imageUrls", "f.urls"), ("files", "f.files")))
        case .calendarEntry:
            Table(
                name: "calendar_entry", key: "entry_id", time: "starts_at", word: "event",
                words: "events",
                json: object(
                    ("id", "r.entry_id"), ("title", "r.title"), ("description", "r.description"),
                    ("date", "r.date_text"), ("location", "r.location"), ("tags", "r.tags"),
                    ("createdAt", time("r.created_at")), ("imageUrls", "f.urls"),
                    ("files", "f.files")))
        case .upload, .profilePicture:
            preconditionFailure("BUG: \(kind) has no table of records")
        }
    }

    // MARK: Questions

    func item(
        _ kind: JournalKind, id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> String? {
        let parameters = parameters(id, user)
        let rows: Rows
        switch kind {
        case .upload:
            rows = try connection.query(
                """
                select json_build_object('success', true, 'file', \(Self.upload))::text
                \(Self.uploads)
                where f.file_id = $2 and f.user_id = $3
                """, parameters)
        case .mood, .keepsake, .calendarEntry:
            rows = try connection.query(
                Self.record(Self.table(kind)) + " and r.user_id = $3", parameters)
        case .profilePicture:
            return nil
        }
        return rows.count == 0 ? nil : rows.json
    }

    /// What was created with an id: a record, or all files of an upload.
    func created(
        _ kind: JournalKind, id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> String? {
        guard kind == .upload else { return try item(kind, id: id, user: user, on: connection) }
        let rows = try connection.query(
            """
            select json_build_object('success', true,
                'files', json_agg(\(Self.upload) order by f.place), 'count', count(*),
                'groupId', u.group_id, 'errors', null)::text
            \(Self.uploads)
            where u.upload_id = $2 and u.user_id = $3
            group by u.group_id
            """, parameters(id, user))
        return rows.count == 0 ? nil : rows.json
    }

    func profilePicture(
        user: String, on connection: Connection
    ) throws(PostgresError) -> String? {
        let rows = try connection.query(
            """
            select json_build_object('success', true, 'imageUrl', $1::text || file_id)::text
            from sluice.profile_picture where user_id = $2
            """, parameters(user))
        return rows.count == 0 ? nil : rows.json
    }

    func list(
        _ kind: JournalKind, user: String, _ page: JournalPage, on connection: Connection
    ) throws(PostgresError) -> String {
        var parameters = parameters(user)
        parameters.append(int8: Int64(page.limit))
        parameters.append(int8: Int64(page.offset))
        guard kind == .upload else {
            let table = Self.table(kind)
            return try connection.query(
                Self.list(
                    table.words, item: table.json,
                    of: "sluice.\(table.name) where user_id = $2",
                    order: "\(table.time) desc, \(table.key)", with: Self.files(table)), parameters
            ).json
        }
        parameters.append(text: page.category)
        parameters.append(text: page.groupID)
        return try connection.query(
            Self.list(
                "files", item: Self.upload,
                of: """
                    (select j.*, u.category, u.title, u.description, u.tags, u.group_id
                    from sluice.journal_file j
                    join sluice.upload u on u.upload_id = j.record_id
                    where j.user_id = $2 and j.kind = 'upload'
                        and ($5::text is null or u.category = $5)
                        and ($6::text is null or u.group_id = $6)) a
                    """,
                order: "created_at desc, place, file_id",
                with: """
                    cross join lateral (select r.*) f
                    cross join lateral (select r.*) u
                    join sluice.media_file m on m.path = r.path
                    """), parameters
        ).json
    }

    // MARK: Pieces

    /// A file `f` of an upload `u` with its content `m`.
    private static let upload =
        "json_build_object('data', "
        + object(
            ("url", "$1::text || f.file_id"), ("key", "f.file_id"),
            ("appUrl", "$1::text || f.file_id"), ("name", "f.name"), ("size", "m.bytes"),
            ("type", "m.content_type"), ("fileId", "f.file_id"), ("width", "f.width"),
            ("height", "f.height"), ("duration", "f.duration"), ("category", "u.category"),
            ("title", "u.title"), ("description", "u.description"), ("tags", "u.tags"),
            ("groupId", "u.group_id"), ("createdAt", time("u.created_at"))) + ")"

    private static let uploads = """
        from sluice.journal_file f
        join sluice.upload u on u.upload_id = f.record_id
        join sluice.media_file m on m.path = f.path
        """

    private static let file = object(
        ("url", "$1::text || f.file_id"), ("name", "f.name"), ("size", "m.bytes"),
        ("type", "m.content_type"), ("fileId", "f.file_id"), ("width", "f.width"),
        ("height", "f.height"), ("duration", "f.duration"))

    /// A join that adds the files `f` of a record `r`.
    private static func files(_ table: Table) -> String {
        """
        cross join lateral (
            select
                coalesce(json_agg(\(file) order by f.place)
                    filter (where not f.is_voice_note), '[]'::json) as files,
                coalesce(json_agg($1::text || f.file_id order by f.place)
                    filter (where not f.is_voice_note), '[]'::json) as urls,
                max($1::text || f.file_id) filter (where f.is_voice_note) as voice_note
            from sluice.journal_file f
            join sluice.media_file m on m.path = f.path
            where f.record_id = r.\(table.key)
        ) f
        """
    }

    private static func record(_ table: Table) -> String {
        """
        select json_build_object('success', true, '\(table.word)', \(table.json), \
        'imageUrls', f.urls, 'errors', null)::text
        from sluice.\(table.name) r
        \(files(table))
        where r.\(table.key) = $2
        """
    }

    /// - Parameters:
    ///   - item: the JSON expression for a row `r` of `rows` and the rows that `join` adds.
    ///   - rows: the text after `from`, without an order.
    private static func list(
        _ words: String, item: String, of rows: String, order: String, with join: String
    ) -> String {
        """
        with page as materialized (
            select * from \(rows) order by \(order) limit $3 offset $4
        ), total as (
            select count(*) as total from \(rows)
        ), items as (
            select coalesce(json_agg(i.item order by i.number), '[]'::json) as items, \
        count(*) as count
            from (
                select r.number, \(item) as item
                from (select row_number() over (order by \(order)) as number, * from page) r
                \(join)
            ) i
        )
        select json_build_object('success', true, '\(words)', items, 'count', count,
            'total', total, 'limit', $3::bigint, 'offset', $4::bigint,
            'hasMore', $4::bigint + count < total)::text
        from items, total
        """
    }

    private static func object(_ members: (String, String)...) -> String {
        "json_build_object(" + members.map { "'\($0)', \($1)" }.joined(separator: ", ") + ")"
    }

    private static func time(_ column: String) -> String {
        "(extract(epoch from \(column)) * 1000)::bigint"
    }

    /// `$1` and the parameters after it.
    private func parameters(_ texts: String...) -> Parameters {
        var parameters = Parameters()
        parameters.append(text: filesURL)
        for text in texts { parameters.append(text: text) }
        return parameters
    }
}

extension Rows {
    /// The only value of the only row.
    var json: String { CompactJSON.text(string(0, 0)) }
}
