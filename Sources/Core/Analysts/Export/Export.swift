import Postgres
import Synchronization

/// Exports data from the database to files: rows as CSV or NDJSON, tracks as GPX or GeoJSON.
///
/// An export reads only the views of the schema `analytics`, so an analyst's role is enough and
/// `\d+ analytics.gps` documents the columns. Data is streamed: the server's COPY makes the rows
/// and they are passed on as they arrive. At most 10 000 positions of a track are held at a time,
/// and the output has a buffer of 256 KiB. So the memory does not depend on the number of rows. The
/// server sorts at most one day of rows, or 32 days of one device's positions, at a time; a table
/// without days is read with one statement.
///
/// Each day (rows), or device and window of days (tracks), is a statement of its own and sees what
/// was committed before it began. One snapshot for the whole export would hold back VACUUM as long
/// as the export takes.
///
/// A file appears only when it is complete: it is written as `NAME.part` beside its final name,
/// synced, and renamed. An export that ends early removes `NAME.part`; one that is killed leaves
/// it, and the next export overwrites it. If the disk is full, the export ends with the operating
/// system's error.
public enum Export {
    /// Maximum number of positions in one LineString.
    public static let featurePositionsMax = 10_000
    /// Timeout of each statement. It is long because the reader of the output may be slow.
    static let statementLimit: Duration = .seconds(86_400)
}
