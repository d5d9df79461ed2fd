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
        guard let file = try find([id], on: connection)[id], file.user == user else { return nil }
        return file
    }

    /// Files by their ids, whoever's they are.
    static func find(
        _ ids: [String], on connection: Connection
    ) throws(PostgresError) -> [String: JournalFile] {
        var parameters = Parameters()
        parameters.append(texts: ids)
        let rows = try connection.query(
            keeping: """
                select file_id, user_id, name, width, height from sluice.journal_file
                where file_id = any ($1)
                """, parameters)
        guard rows.count > 0 else { return [:] }
        let known = (0..<rows.count).map { rows.string($0, 0) }
        let paths = known.compactMap { MediaPath("journal/\($0)") }
        let media = try MediaCatalog.find(paths, on: connection)
        var files: [String: JournalFile] = [:]
        for (row, id) in known.enumerated() {
            guard let path = MediaPath("journal/\(id)"), let media = media[path] else { continue }
            files[id] = JournalFile(
                id: id, user: rows.string(row, 1), media: media, name: rows.string(row, 2),
                width: rows.isNull(row, 3) ? nil : Int(rows.int32(row, 3)),
                height: rows.isNull(row, 4) ? nil : Int(rows.int32(row, 4)))
        }
        return files
    }
}
