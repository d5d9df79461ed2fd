import Postgres

/// An entry to be inserted into the tables. All of it runs in the caller's transaction.
struct JournalRecord {
    let entry: JournalEntry
    let user: String
    let id = Journal.freshID()
    private let groupID: String?

    init(_ entry: JournalEntry, user: String) {
        self.entry = entry
        self.user = user
        groupID = entry.groupID
    }

    func insert(on connection: Connection) throws(PostgresError) -> JournalRecord {
        if entry.kind == .profilePicture { try Self.takeTurn(of: user, on: connection) }
        switch entry.kind {
        case .upload: try insertUpload(connection)
        case .mood: try insertMood(connection)
        case .keepsake: try insertKeepsake(connection)
        case .calendarEntry: try insertCalendarEntry(connection)
        case .profilePicture: break
        }
        try insertFiles(connection)
        if entry.kind == .profilePicture, let picture = entry.files.first {
            _ = try connection.query(
                "select sluice.set_profile_picture($1, $2)", Self.texts(user, picture.id))
        }
        return self
    }

    /// The answer to the request, from the rows that were inserted.
    func answer(
        filesURL: String, errors: [String], on connection: Connection
    ) throws(PostgresError) -> String {
        try JournalQueries(filesURL: filesURL).created(
            entry.kind, id: id, user: user, groupID: groupID, errors: errors, on: connection)
    }

    /// Lets the transactions that delete a user's files take turns, because they lock rows of
    /// several tables in no fixed order. Replacing a profile picture deletes a file too. Call it
    /// first in a transaction.
    private static func takeTurn(
        of user: String, on connection: Connection
    ) throws(PostgresError) {
        _ = try connection.query(
            "select pg_advisory_xact_lock(hashtextextended('journal ' || $1, 0))", texts(user))
    }

    /// - Returns: whether the user had such a record.
    static func remove(
        _ kind: JournalKind, id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> Bool {
        try takeTurn(of: user, on: connection)
        let table = JournalQueries.table(kind)
        let removed = try connection.query(
            "delete from sluice.\(table.name) where \(table.key) = $1 and user_id = $2",
            texts(id, user))
        guard removed.affectedCount > 0 else { return false }
        _ = try connection.query(
            """
            select sluice.remove_journal_files(array(
                select file_id from sluice.journal_file where record_id = $1))
            """, texts(id))
        return true
    }

    /// - Returns: whether the user had such a file.
    static func removeFile(
        _ id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> Bool {
        try takeTurn(of: user, on: connection)
        let rows = try connection.query(
            """
            select u.upload_id from sluice.upload u
            join sluice.journal_file f on f.record_id = u.upload_id
            where f.file_id = $1 and f.user_id = $2
            """, texts(id, user))
        let removed = try connection.query(
            """
            select sluice.remove_journal_files(array(
                select file_id from sluice.journal_file where file_id = $1 and user_id = $2))
            """, texts(id, user))
        guard removed.int64(0, 0) > 0 else { return false }
        if rows.count == 1 {
            _ = try connection.query(
                """
                delete from sluice.upload where upload_id = $1
                    and not exists (select from sluice.journal_file where record_id = $1)
                """, texts(rows.string(0, 0)))
        }
        return true
    }

    // MARK: Rows

    private func insertUpload(_ connection: Connection) throws(PostgresError) {
        var parameters = Self.texts(
            id, user, entry.fields.category, entry.fields.title, entry.fields.description, groupID)
        parameters.append(texts: entry.fields.tags)
        _ = try connection.query(
            """
            insert into sluice.upload
                (upload_id, user_id, category, title, description, group_id, tags)
            values ($1, $2, $3, $4, $5, $6, $7)
            """, parameters)
    }

    private func insertMood(_ connection: Connection) throws(PostgresError) {
        let fields = entry.fields
        let voiceNote = entry.files.first { $0.role == .voiceNote }
        var parameters = Self.texts(id, user, fields.mood, fields.note, fields.reason)
        parameters.append(texts: fields.tags)
        parameters.append(texts: fields.interests)
        parameters.append(int2: fields.moodIntensity.map { Int16($0) })
        parameters.append(
            float8: voiceNote.flatMap { fields.voiceNoteDuration ?? $0.facts.duration })
        parameters.append(timestamptz: Self.moment(fields.createdAt))
        _ = try connection.query(
            """
            insert into sluice.mood (mood_id, user_id, mood, note, reason, tags, interests,
                intensity, voice_note_duration, created_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, \(Self.now)))
            """, parameters)
    }

    private func insertKeepsake(_ connection: Connection) throws(PostgresError) {
        let fields = entry.fields
        var parameters = Self.texts(
            id, user, fields.title, fields.description, fields.location)
        parameters.append(texts: fields.tags)
        parameters.append(timestamptz: Self.moment(fields.createdAt))
        _ = try connection.query(
            """
            insert into sluice.keepsake
                (keepsake_id, user_id, title, description, location, tags, created_at)
            values ($1, $2, $3, $4, $5, $6, coalesce($7, \(Self.now)))
            """, parameters)
    }

    private func insertCalendarEntry(_ connection: Connection) throws(PostgresError) {
        let fields = entry.fields
        var parameters = Self.texts(
            id, user, fields.title, fields.description, fields.location, fields.date?.text)
        parameters.append(timestamptz: fields.date?.moment)
        parameters.append(texts: fields.tags)
        _ = try connection.query(
            """
            insert into sluice.calendar_entry
                (entry_id, user_id, title, description, location, date_text, starts_at, tags)
            values ($1, $2, $3, $4, $5, $6, $7, $8)
            """, parameters)
    }

    private func insertFiles(_ connection: Connection) throws(PostgresError) {
        guard !entry.files.isEmpty else { return }
        for file in entry.files {
            try MediaCatalog.store(
                file.object, as: file.path, contentType: file.type.rawValue, owner: user,
                on: connection)
        }
        var parameters = Self.texts(
            user, entry.kind.rawValue, entry.kind == .profilePicture ? nil : id)
        parameters.append(texts: entry.files.map(\.id))
        parameters.append(texts: entry.files.map(\.name))
        // Parameters have no arrays of nullable numbers, so numbers are sent as texts.
        parameters.append(texts: entry.files.map { $0.facts.width.map(String.init) })
        parameters.append(texts: entry.files.map { $0.facts.height.map(String.init) })
        parameters.append(texts: entry.files.map { $0.facts.duration.map { "\($0)" } })
        parameters.append(texts: entry.files.map { $0.role == .voiceNote ? "t" : "f" })
        _ = try connection.query(
            """
            insert into sluice.journal_file (user_id, kind, record_id, file_id, name, width, height,
                duration, is_voice_note, place)
            select $1, $2, $3, f.id, f.name, f.width::integer, f.height::integer,
                f.duration::double precision, f.is_voice_note::boolean, f.place - 1
            from unnest($4, $5, $6, $7, $8, $9) with ordinality
                f (id, name, width, height, duration, is_voice_note, place)
            """, parameters)
    }

    /// Stored times have milliseconds, the precision of answers.
    private static let now = "date_trunc('milliseconds', now())"

    /// Milliseconds since 1970 to microseconds since 2000.
    private static func moment(_ milliseconds: Int64?) -> Int64? {
        milliseconds.map { ($0 - 946_684_800_000) * 1000 }
    }

    private static func texts(_ texts: String?...) -> Parameters {
        var parameters = Parameters()
        for text in texts { parameters.append(text: text) }
        return parameters
    }
}

/// JSON from PostgreSQL's functions without the spaces between its tokens: `{"a" : 1}` becomes
/// `{"a":1}`, as in all other answers.
enum CompactJSON {
    /// - Parameter json: valid JSON; its strings are not changed.
    static func text(_ json: String) -> String {
        var json = json
        return json.withUTF8 { bytes in
            String(unsafeUninitializedCapacity: bytes.count) { compact in
                var count = 0
                var inString = false
                var isEscaped = false
                for byte in bytes {
                    if inString {
                        inString = isEscaped || byte != UInt8(ascii: "\"")
                        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                    } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
                        continue
                    } else {
                        inString = byte == UInt8(ascii: "\"")
                    }
                    compact[count] = byte
                    count += 1
                }
                return count
            }
        }
    }
}

/// A file of the journal, from its rows.
public struct JournalFile: Sendable {
    /// 32 hexadecimal digits.
    public let id: String
    /// The user who owns it.
    public let user: String
    /// The row that it is served from: content type, length and tag.
    public let media: MediaFile
    /// The name for display. It must not be used as a path.
    public let name: String
    /// Pixels, after the rotation that the file asks for; nil when unknown, and for sound.
    public let width: Int?
    /// Pixels, after the rotation that the file asks for; nil when unknown, and for sound.
    public let height: Int?

    static func find(
        _ id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> JournalFile? {
        var parameters = Parameters()
        parameters.append(text: id)
        parameters.append(text: user)
        let rows = try connection.query(
            keeping: """
                select name, width, height from sluice.journal_file
                where file_id = $1 and user_id = $2
                """, parameters)
        guard rows.count > 0, let path = MediaPath("journal/\(id)"),
            let media = try MediaCatalog.find(path, on: connection)
        else { return nil }
        return JournalFile(
            id: id, user: user, media: media, name: rows.string(0, 0),
            width: rows.isNull(0, 1) ? nil : Int(rows.int32(0, 1)),
            height: rows.isNull(0, 2) ? nil : Int(rows.int32(0, 2)))
    }
}
