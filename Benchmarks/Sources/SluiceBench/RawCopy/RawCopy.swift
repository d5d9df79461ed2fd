import Fleet
import Load
import Oracle
import Readings

/// What libpq and PostgreSQL do with the same rows when nobody stands in between.
struct RawCopy {
    let session: Session

    /// The tables and their columns, in the order of the tuples.
    static let targets = ReadingKind.allCases.map { kind in
        (kind: kind, target: "sluice.\(kind.name) (\(kind.schema.columns.joined(separator: ", ")))")
    }

    /// The partitions for a run of `fleet`; a COPY into a missing one would fail.
    func makeDays(_ first: Int32, through last: Int32) throws {
        try session.execute(
            "select sluice.ensure_days(date '2000-01-01' + \(first), date '2000-01-01' + \(last))")
    }

    /// All rows in one transaction, one COPY a table. Rows a second, COMMIT included.
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

    /// `BEGIN`, COPY of 1000 gps rows, `COMMIT`, again and again: milliseconds of each.
    func commits(_ rows: RawRows, times: Int) throws -> [Double] {
        let all = rows.parts[Int(ReadingKind.gps.rawValue)].flatMap { $0 }
        // A gps row with its accuracy has 62 bytes, and plain fleets always send it.
        let rowBytes = 62
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

    /// Segments of PostgreSQL's log that ``wearIn()`` has made and kept: 1 GB.
    private static let logSegments = 64

    /// Brings a new cluster's log to where it is in one that has run for a while: after a checkpoint
    /// the server writes over segments that it kept, while a new one makes each first, and all
    /// commits wait for these 16 MB.
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

    /// Empties what a run fills, and leaves the server without work from before.
    func clear() throws {
        try session.execute(
            """
            truncate sluice.gps, sluice.vital, sluice.event, sluice.device, sluice.device_state,
                sluice.quarantine, sluice.gps_rollup, sluice.vital_rollup, sluice.rollup_due
            """)
        try session.execute("checkpoint")
    }
}
