public import Postgres

/// The table `sluice.media_file`. Every statement about it in this program is here.
///
/// Each call is one statement on the caller's connection. In the caller's transaction it commits a
/// record and its files together.
public enum MediaCatalog {
    /// Names an object by a path. The sweeper removes the object that the path named before.
    ///
    /// If another committed row already names the same content in another object, the path names
    /// that object too, and the sweeper removes the new one.
    ///
    /// - Parameter owner: the user who owns the file; nil when no user is known.
    /// - Returns: the object that the path now names; nil when another user owns the path. Then
    ///   nothing is changed.
    @discardableResult
    public static func store(
        _ object: StoredObject, as path: MediaPath, contentType: String, owner: String? = nil,
        on connection: Connection
    ) throws(PostgresError) -> ObjectName? {
        var parameters = Parameters()
        parameters.append(text: path.text)
        parameters.append(text: object.name.text)
        parameters.append(bytea: object.digest.bytes)
        parameters.append(int8: Int64(object.bytes))
        parameters.append(text: contentType)
        parameters.append(text: owner)
        let rows = try connection.query(
            keeping: "select sluice.store_media_file($1, $2, $3, $4, $5, $6)", parameters)
        return rows.isNull(0, 0) ? nil : name(rows, 0, 0)
    }

    /// Names an object as a file of a capture, at a path of the capture. It never replaces another
    /// user's file.
    ///
    /// - Parameters:
    ///   - id: the capture's id as the app sends it.
    ///   - owner: the user who uploads; nil when no user is known.
    /// - Returns: the path.
    static func store(
        _ object: StoredObject, ofCapture id: String, as file: CaptureFile, contentType: String,
        owner: String?, on connection: Connection
    ) throws(PostgresError) -> MediaPath {
        var parameters = Parameters()
        parameters.append(text: id)
        parameters.append(text: file.rawValue)
        parameters.append(text: object.name.text)
        parameters.append(bytea: object.digest.bytes)
        parameters.append(int8: Int64(object.bytes))
        parameters.append(text: contentType)
        parameters.append(text: owner)
        let rows = try connection.query(
            keeping: """
                select file_path from sluice.store_capture_file($1, $2, $3, $4, $5, $6, $7)
                """, parameters)
        guard let path = MediaPath(rows.string(0, 0)) else {
            preconditionFailure("BUG: a capture's file at \(rows.string(0, 0))")
        }
        return path
    }

    /// The row of a path; nil when there is none.
    public static func find(
        _ path: MediaPath, on connection: Connection
    ) throws(PostgresError) -> MediaFile? {
        try find([path], on: connection)[path]
    }

    /// The rows of paths. Paths without a row are left out.
    public static func find(
        _ paths: [MediaPath], on connection: Connection
    ) throws(PostgresError) -> [MediaPath: MediaFile] {
        var parameters = Parameters()
        parameters.append(texts: paths.map(\.text))
        let rows = try connection.query(
            keeping: """
                select path, object, bytes, content_type, user_id from sluice.media_file
                where path = any ($1)
                """, parameters)
        var files: [MediaPath: MediaFile] = [:]
        for row in 0..<rows.count {
            guard let path = MediaPath(rows.string(row, 0)) else {
                preconditionFailure("BUG: a row of another path than those asked for")
            }
            files[path] = MediaFile(
                path: path, object: name(rows, row, 1), bytes: Int(rows.int64(row, 2)),
                contentType: rows.string(row, 3),
                owner: rows.isNull(row, 4) ? nil : rows.string(row, 4))
        }
        return files
    }

    /// The members of `objects` that some row names.
    public static func named(
        among objects: [ObjectName], on connection: Connection
    ) throws(PostgresError) -> Set<ObjectName> {
        guard !objects.isEmpty else { return [] }
        var parameters = Parameters()
        parameters.append(texts: objects.map(\.text))
        let rows = try connection.query(
            "select o from sluice.media_objects_named($1) o", parameters)
        return Set((0..<rows.count).map { name(rows, $0, 0) })
    }

    private static func name(_ rows: Rows, _ row: Int, _ column: Int) -> ObjectName {
        let text = rows.string(row, column)
        guard let name = ObjectName(text) else {
            preconditionFailure("BUG: a row names the object \(text)")
        }
        return name
    }
}
