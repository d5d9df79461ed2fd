/// What a soak looks at every few seconds.
struct SoakSample: Equatable {
    /// Since the start of the load.
    var seconds: Double
    /// Readings that were acknowledged and are stored, or are in a spool.
    var readings: Int
    /// Of the first node, which lives as long as the soak.
    var residentBytes: Int
    var openFiles: Int
    /// Of all nodes.
    var spoolFiles: Int
    var spoolBytes: Int
    /// All files of the database, with its indexes.
    var databaseBytes: Int
    var logBytes: Int

    var bytesPerReading: Double { Double(databaseBytes) / Double(max(1, readings)) }
}
