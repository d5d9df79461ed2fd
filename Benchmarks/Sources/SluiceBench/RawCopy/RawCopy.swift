import Fleet
import Load
import Oracle
import Readings

/// Stores the same rows with libpq and PostgreSQL alone, without Sluice.
struct RawCopy {
    let session: Session

    /// The tables and their columns, in the order of the tuples.
    static let targets = ReadingKind.allCases.map { kind in
        (kind: kind, target: "sluice.\(kind.name) (\(kind.schema.columns.joined(separator: ", ")))")
    }

    /// Makes the partitions of those days, because a COPY into a missing one would fail.
    func makeDays(_ first: Int32, through last: Int32) throws {
        try session.execute(
            "select sluice.ensure_days(date '2000-01-01' + \(first), date '2000-01-01' + \(last))")
    }

    /// Stores all rows in one transaction, with one COPY per table.
    ///
    /// - Returns: rows a second, COMMIT included.
    func long(_ rows: RawRows) throws -> Double {
        let start = monotonicNanoseconds()
        try session.execute("begin")
        for (kind, target) in Self.targets {
            let copied = try session.copyIn(target, rows: rows.parts[Int(kind.rawValue)])
            precondition(copied == rows.counts[Int(kind.rawValue)], "BUG: copied=\(copied)")
        }
        try session.execute("commit")
        return Double(rows.total) / (Double(monotonicNanoseconds() - start) * 1e-9)
    }

    /// Repeats `BEGIN`, COPY of 1000 gps rows, `COMMIT`.
    ///
    /// - Returns: milliseconds of each transaction.
    func commits(_ rows: RawRows, times: Int) throws -> [Double] {
        let all = rows.parts[Int(ReadingKind.gps.rawValue)].flatMap { $0 }
        // A gps row with accuracy and no more has 74 bytes, and plain fleets always send it.
        let rowBytes = 74
        let groupBytes = 1000 * rowBytes
        precondition(all.count % rowBytes == 0, "BUG: bytes=\(all.count)")
        let groups = min(times, all.count / groupBytes)
        return try (0..<groups).map { group in
            let part = Array(all[(group * groupBytes)..<((group + 1) * groupBytes)])
            let start = monotonicNanoseconds()
            try session.execute("begin")
            try session.copyIn(Self.targets[0].target, rows: [part])
            try session.execute("commit")
            return Double(monotonicNanoseconds() - start) * 1e-6
        }
    }

    /// Write-ahead log segments that ``wearIn()`` makes: 1 GB.
    private static let logSegments = 64

    /// Brings the write-ahead log of a new cluster to the state of a cluster that has run for a
    /// while. After a checkpoint such a cluster overwrites segments that it kept. A new cluster
    /// makes each segment first, and all commits wait for these 16 MB.
    func wearIn() throws {
        try session.execute(
            """
            do $$ begin
                for segment in 1..\(Self.logSegments) loop
                    perform pg_logical_emit_message(false, 'sluice-bench', '');
                    perform pg_switch_wal();
                end loop;
            end $$
            """)
        try session.execute("checkpoint")
    }

    /// Empties the tables that a run fills, and leaves the server without earlier work.
    ///
    /// - Parameter keepsDevices: the server still knows the devices, and their newest readings.
    func clear(keepsDevices: Bool = false) throws {
        try session.execute(
            """
            truncate sluice.gps, sluice.vital, sluice.event, sluice.quarantine, sluice.gps_rollup,
                sluice.vital_rollup, sluice.rollup_due
            """ + (keepsDevices ? "" : ", sluice.device, sluice.device_state"))
        try session.execute("checkpoint")
    }
}
