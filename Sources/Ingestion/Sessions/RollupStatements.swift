import Postgres
import Readings

/// What brings the rollups up to date behind the rows of a group, as part of one simple query.
struct RollupStatements {
    private(set) var sql = ""
    /// The tuples of its COPYs, in their order.
    private(set) var copies: [[UInt8]] = []

    /// With columns, as ``StoredRows/columns(_:)``.
    private static let vital = "vital_rollup (\(RollupTuples.vitalColumns))"
    private static let gps = "gps_rollup (\(RollupTuples.gpsColumns))"

    init(_ rollups: Rollups) {
        for (table, tuples) in [(Self.vital, rollups.vital), (Self.gps, rollups.gps)]
        where !tuples.isEmpty {
            sql += "COPY sluice.\(table) FROM STDIN (FORMAT binary); "
            copies.append(tuples.bytes)
        }
        guard !rollups.lateTracks.isEmpty else { return }
        let tracks = rollups.lateTracks
        let keys = tracks.map { "\($0.deviceKey)" }.joined(separator: ",")
        let firsts = tracks.map { Self.text($0.first) }.joined(separator: ",")
        let lasts = tracks.map { Self.text($0.last) }.joined(separator: ",")
        sql += "CALL sluice.rebuild_tracks('{\(keys)}', '{\(firsts)}', '{\(lasts)}'); "
    }

    private static func text(_ microseconds: Int64) -> String {
        Timestamp(microseconds: microseconds).microsecondsText
    }
}
