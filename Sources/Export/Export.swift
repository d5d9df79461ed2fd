public import Postgres

/// Takes data out of the database into files: rows as CSV or NDJSON, tracks as GPX or GeoJSON.
///
/// It reads nothing but the views of the schema `analytics`, so that an analyst's role is enough and
/// `\d+ analytics.gps` tells what the columns mean. What is read goes straight out: rows are made by
/// the server's COPY and passed on as they come, of a track no more than 10 000 positions are held at
/// a time, and the output's buffer has 256 KiB. So the memory is the same for a thousand rows and for
/// a thousand million. The server does not sort more than a day of rows, or a device's positions of
/// 32 days, at a time either.
///
/// Each day (rows) or device and stretch of days (tracks) is a statement of its own, and sees what was
/// committed before it began. One snapshot for all would keep the server from cleaning up behind the
/// lanes for as long as the export takes.
///
/// A file comes into being whole: it is written beside its name as `NAME.part`, brought to disk, and
/// renamed. An export that ends early removes that; one that is killed leaves it, and the next one
/// writes over it. When the disk is full, the export ends with the disk's own error.
public enum Export {
    /// The most positions in one LineString.
    public static let featurePositionsMax = 10_000
    /// For each statement: a reader of the output may be slow.
    static let statementLimit: Duration = .seconds(86_400)
}

/// Why an export ended early. Nothing is left at its output's name.
public enum ExportFault: Error {
    /// ``ExportStop/stop()`` was called.
    case interrupted
    /// Nobody reads the output any more.
    case brokenPipe
    /// Another export is writing this file.
    case outputInUse(path: String)
    /// What the operating system refused.
    case outputFailed(path: String, operation: String, errno: Int32)
    /// Named, but nothing is known of them.
    case unknown(devices: [String], users: [String])
    /// Devices and users were named, all known, and none of the devices is one of theirs.
    case noneOfUsers
    /// The database has no such views: its schema is older than this binary.
    case schemaOlder
    /// The server, or the way to it.
    case database(PostgresError)
}
