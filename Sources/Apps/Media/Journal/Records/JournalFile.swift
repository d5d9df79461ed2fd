import Postgres

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
                select name, width, height from sluice.journal_file f
                where file_id = $1 and user_id = $2 and (kind <> 'profile_picture' or exists (
                    select from sluice.profile_picture p where p.file_id = f.file_id))
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
