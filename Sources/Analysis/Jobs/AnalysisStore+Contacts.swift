import Postgres
import Readings

/// `contact_mention` and `contact`. Everything here runs with the user's row locked.
extension AnalysisStore {
    /// Replaces a capture's mentions and makes the contacts of all names anew that it names now or
    /// named before.
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
            // As it was made then, should the way to fold names ever change.
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
