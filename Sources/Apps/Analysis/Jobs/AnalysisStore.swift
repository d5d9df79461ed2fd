import Foundation
import Jobs
import Postgres
import Readings

/// Statements about users, captures, jobs and contacts. The extensions have those about analyses
/// and summaries.
enum AnalysisStore {
    /// A row of `app_user`, reduced to the columns used here.
    struct User {
        var id: String
        var calendar: UserCalendar
        /// The zone's name as stored in the row, even if this system does not know it.
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
        /// Its user deleted it: it has only its time.
        var isDeleted: Bool
    }

    /// Locks a user's row until the transaction ends, and creates the row if it is missing. Call it
    /// first in every commit. The lock blocks neither foreign-key checks on the row nor the lanes.
    static func lockUser(_ id: String, on connection: Connection) throws -> User {
        let select = """
            select time_zone, condensed_at, summary_time_zone from sluice.app_user
            where user_id = $1 for no key update
            """
        var rows = try connection.query(select, texts(id))
        // Runs once, unless the user is erased at the same time.
        while rows.count == 0 {
            try connection.query(
                "insert into sluice.app_user (user_id) values ($1) on conflict do nothing",
                texts(id))
            rows = try connection.query(select, texts(id))
        }
        let zone = text(rows, 0, 0) ?? Analysis.defaultTimeZone
        return User(
            id: id, calendar: UserCalendar(zone), timeZone: zone,
            condensedAt: rows.isNull(0, 1) ? nil : time(rows, 0, 1),
            summaryTimeZone: text(rows, 0, 2))
    }

    /// The calendar in a user's time zone. Takes no lock.
    static func calendar(ofUser id: String, on connection: Connection) throws -> UserCalendar {
        let rows = try connection.query(
            "select time_zone from sluice.app_user where user_id = $1", texts(id))
        let zone = rows.count == 0 ? nil : text(rows, 0, 0)
        return UserCalendar(zone ?? Analysis.defaultTimeZone)
    }

    /// A user's capture; nil when the user has none with the id.
    static func capture(
        _ id: String, ofUser userID: String, on connection: Connection
    ) throws -> Capture? {
        let rows = try connection.query(
            """
            select captured_at, photo_url, audio_url, transcription, revision,
                deleted_at is not null
            from sluice.capture where capture_id = $1 and user_id = $2
            """, texts(id, userID))
        guard rows.count == 1 else { return nil }
        return Capture(
            id: id, userID: userID, time: time(rows, 0, 0), photoURL: text(rows, 0, 1),
            audioURL: text(rows, 0, 2), transcription: text(rows, 0, 3),
            revision: rows.int32(0, 4),
            isDeleted: rows.bool(0, 5))
    }

    /// Enqueues a job, in the transaction that makes it necessary.
    ///
    /// - Parameter time: nil means now.
    static func enqueue(
        _ kind: JobKind, key: String, _ payload: JobPayload, at time: Timestamp?,
        on connection: Connection
    ) throws {
        var parameters = texts(kind.name, key, payload.text)
        parameters.append(timestamptz: time?.microseconds)
        try connection.query(
            "select sluice.enqueue_job($1, $2, $3, coalesce($4, now()))", parameters)
    }

    /// Enqueues a day's summary.
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

    /// SQL that excludes times whose days and hours can't be computed or asked for, in every zone.
    /// Only an operator, or a version that accepted any time, can have stored them.
    static let isUsable =
        "between timestamptz '0001-01-03 00:00+00' and timestamptz '9999-12-29 00:00+00'"

    /// Whether hours and days of this time can be made, now or soon. The longest time that a
    /// capture may be ahead is a year.
    static func isUsable(_ time: Timestamp, now: Timestamp) -> Bool {
        // 0001-01-03, 9999-12-29
        let days = -730_117..<2_921_937 as Range<Int64>
        return days.contains(time.microseconds / Timestamp.microsecondsPerDay)
            && time < now.adding(.seconds(400 * 86_400))
    }

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

/// `contact_mention` and `contact`. Call everything here with the user's row locked.
extension AnalysisStore {
    /// Replaces a capture's mentions, and computes the contacts of all names that it mentions now
    /// or mentioned before.
    static func replaceMentions(
        _ mentions: [Mention], ofCapture captureID: String, user userID: String,
        on connection: Connection
    ) throws {
        let rows = try connection.query(
            "delete from sluice.contact_mention where capture_id = $1 returning name_key",
            texts(captureID))
        var keys = Set((0..<rows.count).map { rows.string($0, 0) })
        try insert(mentions, user: userID, on: connection)
        keys.formUnion(mentions.map(\.nameKey))
        guard !keys.isEmpty else { return }
        let all = try self.mentions(ofUser: userID, keys: keys.sorted(), on: connection)
        let contacts = ContactMerge.contacts(of: all)
        let gone = keys.subtracting(contacts.map(\.nameKey))
        try delete(gone.sorted(), user: userID, on: connection)
        for contact in contacts { try store(contact, user: userID, on: connection) }
    }

    /// A user's mentions of some names.
    static func mentions(
        ofUser userID: String, keys: [String], on connection: Connection
    ) throws -> [Mention] {
        var parameters = texts(userID)
        parameters.append(texts: keys)
        let rows = try connection.query(
            """
            select capture_id, captured_at, name, relationship, note, photo_url, face_confidence,
                name_key
            from sluice.contact_mention where user_id = $1 and name_key = any ($2)
            """, parameters)
        return (0..<rows.count).map { row in
            var mention = Mention(
                captureID: rows.string(row, 0), time: time(rows, row, 1),
                name: rows.string(row, 2), relationship: text(rows, row, 3),
                note: text(rows, row, 4), photoURL: text(rows, row, 5),
                faceConfidence: rows.isNull(row, 6) ? nil : rows.float64(row, 6))
            // Keeps the stored key, in case the folding of names ever changes.
            mention.nameKey = rows.string(row, 7)
            return mention
        }
    }

    private static func insert(
        _ mentions: [Mention], user userID: String, on connection: Connection
    ) throws {
        for mention in mentions {
            var parameters = texts(userID, mention.nameKey, mention.captureID)
            parameters.append(timestamptz: mention.time.microseconds)
            parameters.append(text: mention.name)
            parameters.append(text: mention.relationship)
            parameters.append(text: mention.note)
            parameters.append(text: mention.photoURL)
            parameters.append(float8: mention.faceConfidence)
            try connection.query(
                """
                insert into sluice.contact_mention (
                    user_id, name_key, capture_id, captured_at, name, relationship, note,
                    photo_url, face_confidence)
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """, parameters)
        }
    }

    private static func store(
        _ contact: Contact, user userID: String, on connection: Connection
    ) throws {
        var parameters = texts(userID, contact.nameKey, contact.name)
        parameters.append(text: contact.relationship)
        parameters.append(text: contact.notes)
        parameters.append(text: contact.bestFacePhotoURL)
        parameters.append(timestamptz: contact.firstSeen.microseconds)
        parameters.append(timestamptz: contact.lastSeen.microseconds)
        parameters.append(int4: Int32(contact.mentionCount))
        try connection.query(
            """
            insert into sluice.contact (
                user_id, name_key, name, relationship, notes, best_face_photo_url, first_seen,
                last_seen, mention_count)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            on conflict (user_id, name_key) do update set
                name = excluded.name, relationship = excluded.relationship,
                notes = excluded.notes, best_face_photo_url = excluded.best_face_photo_url,
                first_seen = excluded.first_seen, last_seen = excluded.last_seen,
                mention_count = excluded.mention_count
            """, parameters)
    }

    private static func delete(
        _ keys: [String], user userID: String, on connection: Connection
    ) throws {
        guard !keys.isEmpty else { return }
        var parameters = texts(userID)
        parameters.append(texts: keys)
        try connection.query(
            "delete from sluice.contact where user_id = $1 and name_key = any ($2)", parameters)
    }
}
