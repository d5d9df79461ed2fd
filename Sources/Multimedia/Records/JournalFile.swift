public import MediaStorage
import Postgres

/// A file of the journal, as its rows have it.
public struct JournalFile: Sendable {
    /// 32 hexadecimal digits.
    public let id: String
    /// Whose it is.
    public let user: String
    /// What it is served as, its length and its tag.
    public let media: MediaFile
    /// For people; not to be trusted as a path.
    public let name: String
    /// Pixels, as it is to be seen; nil when the file does not tell, and of sound.
    public let width: Int?
    /// Pixels, as it is to be seen; nil when the file does not tell, and of sound.
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
