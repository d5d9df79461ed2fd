import Jobs
import Postgres
import Readings

/// The statements on users, captures and jobs; those on what is derived stand in the facets.
enum AnalysisStore {
    /// A row of `app_user`, as far as it is needed.
    struct User {
        var id: String
        var calendar: UserCalendar
        /// The zone's name as it stands in the row.
        var timeZone: String
        var condensedAt: Timestamp?
        var summaryTimeZone: String?
    }

    /// A row of `capture`.
    struct Capture: Sendable {
        var id: String
        var userID: String
        var time: Timestamp
        var photoURL: String?
        var audioURL: String?
        var transcription: String?
        var revision: Int32
    }

    /// Locks a user's row until the transaction ends; makes it if need be. First of all in every
    /// commit. Foreign keys to the row and what the lanes do go on meanwhile.
    static func lockUser(_ id: String, on connection: Connection) throws -> User {
        let select = """
            select time_zone, condensed_at, summary_time_zone from sluice.app_user
            where user_id = $1 for no key update
            """
        var rows = try connection.query(select, texts(id))
        // Once, unless the user is erased just then.
        while rows.count == 0 {
            try connection.query(
                "insert into sluice.app_user (user_id) values ($1) on conflict do nothing",
                texts(id))
            rows = try connection.query(select, texts(id))
        }
        return User(
            id: id, calendar: UserCalendar(rows.string(0, 0)), timeZone: rows.string(0, 0),
            condensedAt: rows.isNull(0, 1) ? nil : time(rows, 0, 1),
            summaryTimeZone: text(rows, 0, 2))
    }

    /// Which clock a user lives by, without a lock.
    static func calendar(ofUser id: String, on connection: Connection) throws -> UserCalendar {
        let rows = try connection.query(
            "select time_zone from sluice.app_user where user_id = $1", texts(id))
        return UserCalendar(rows.count == 0 ? Analysis.defaultTimeZone : rows.string(0, 0))
    }

    /// Nil when there is no such capture of that user.
    static func capture(
        _ id: String, ofUser userID: String, on connection: Connection
    ) throws -> Capture? {
        let rows = try connection.query(
            """
            select captured_at, photo_url, audio_url, transcription, revision
            from sluice.capture where capture_id = $1 and user_id = $2
            """, texts(id, userID))
        guard rows.count == 1 else { return nil }
        return Capture(
            id: id, userID: userID, time: time(rows, 0, 0), photoURL: text(rows, 0, 1),
            audioURL: text(rows, 0, 2), transcription: text(rows, 0, 3),
            revision: rows.int32(0, 4))
    }

    /// Asks for a job, in the transaction of what makes it necessary.
    ///
    /// - Parameter time: nil is at once.
    static func enqueue(
        _ kind: JobKind, key: String, _ payload: JobPayload, at time: Timestamp?,
        on connection: Connection
    ) throws {
        var parameters = texts(kind.name, key, payload.text)
        parameters.append(timestamptz: time?.microseconds)
        try connection.query(
            "select sluice.enqueue_job($1, $2, $3, coalesce($4, now()))", parameters)
    }

    /// Asks for a day's summary.
    static func enqueueSummary(
        of day: LocalDay, user: String, at time: Timestamp?, isClosing: Bool = false,
        on connection: Connection
    ) throws {
        try enqueue(
            AnalysisJobs.summarise, key: summaryKey(user, day) + (isClosing ? "/closing" : ""),
            JobPayload(user: user, date: day.text), at: time, on: connection)
    }

    static func summaryKey(_ user: String, _ day: LocalDay) -> String { user + "/" + day.text }

    // MARK: Values

    static func texts(_ values: String...) -> Parameters {
        var parameters = Parameters()
        for value in values { parameters.append(text: value) }
        return parameters
    }

    static func text(_ rows: Rows, _ row: Int, _ column: Int) -> String? {
        rows.isNull(row, column) ? nil : rows.string(row, column)
    }

    static func time(_ rows: Rows, _ row: Int, _ column: Int) -> Timestamp {
        Timestamp(microseconds: rows.timestamp(row, column))
    }
}
