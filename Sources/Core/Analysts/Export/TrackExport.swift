public import Postgres
import Readings

/// Exports positions as tracks: one for each device of each user, one after the other.
public struct TrackExport: Sendable {
    let format: TrackFormat
    let scope: ExportScope
    let gap: Duration

    /// - Parameter gap: a longer pause between two positions ends a stretch.
    public init(as format: TrackFormat, in scope: ExportScope, gap: Duration) {
        self.format = format
        self.scope = scope
        self.gap = gap
    }

    /// A device's positions are read in windows of days. Windows grow or shrink until they have
    /// about this many rows.
    private static let windowRows = 20_000...200_000
    private static let windowDaysMax = 32
    private static let devicesAtOnce = 1000

    /// Writes everything to `output`, which the caller finishes.
    ///
    /// - Parameter progress: called for each device, and every 1000 positions.
    public func run(
        on connection: Connection, to output: ExportOutput, stop: ExportStop = ExportStop(),
        progress: (ExportProgress) -> Void = { _ in }
    ) throws(ExportFault) -> ExportProgress {
        let session = try ExportSession(connection, stop)
        try session.demandKnown(scope)
        let days = try session.days(of: .gps, in: scope)
        var writer: any TrackWriter =
            switch format {
            case .gpx: GPXWriter()
            case .geojson: GeoJSONWriter()
            }
        var state = ExportProgress()
        try output.write(writer.head)
        try forEachDevice(session) { device, user throws(ExportFault) in
            state.part = device
            progress(state)
            var cutter = TrackCutter(gap: gap, limits: writer.limits)
            let before = state.rows
            try forEachPosition(of: device, user, days, session) { position throws(ExportFault) in
                if state.rows == before { try output.write(writer.begin(device, of: user)) }
                for step in cutter.take(position) { try output.write(writer.write(step)) }
                state.rows += 1
                if state.rows % 1000 == 0 {
                    state.bytes = output.byteCount
                    progress(state)
                    if stop.isAsked { throw .interrupted }
                }
            }
            if state.rows > before { try output.write(writer.end(cutter.end())) }
            state.partsDone += 1
        }
        try output.write(writer.tail)
        state.bytes = output.byteCount
        return state
    }

    // MARK: Reading

    /// Devices with positions and their users, sorted by the bytes of both ids.
    private func forEachDevice(
        _ session: ExportSession, _ body: (String, String) throws(ExportFault) -> Void
    ) throws(ExportFault) {
        let named = try session.devices(in: scope)
        if scope.namesDevices && named.isEmpty { return }
        var newerThan = ExportScope()
        newerThan.from = scope.from
        let sql = """
            SELECT DISTINCT device_id COLLATE "C", user_id COLLATE "C"
            FROM analytics.latest_position
            WHERE (device_id COLLATE "C", user_id COLLATE "C") > ($1, $4)
                AND (device_id = ANY ($2) OR NOT $3)
                AND \(newerThan.condition(on: "time")) AND \(scope.userCondition)
            ORDER BY 1, 2 LIMIT \(Self.devicesAtOnce)
            """
        var last = (device: "", user: "")
        while true {
            var parameters = Parameters()
            parameters.append(text: last.device)
            parameters.append(texts: named.lazy.map { $0 })
            parameters.append(bool: scope.namesDevices)
            parameters.append(text: last.user)
            let rows = try session.query(sql, parameters)
            for row in 0..<rows.count { try body(rows.string(row, 0), rows.string(row, 1)) }
            guard rows.count == Self.devicesAtOnce else { return }
            last = (rows.string(rows.count - 1, 0), rows.string(rows.count - 1, 1))
        }
    }

    private func forEachPosition(
        of device: String, _ user: String, _ days: [Int32], _ session: ExportSession,
        _ body: (Position) throws(ExportFault) -> Void
    ) throws(ExportFault) {
        var next = 0
        var width = 1
        while next < days.count {
            let end = min(next + width, days.count)
            let window = scope.window(firstDay: days[next], lastDay: days[end - 1])
            var count = 0
            try session.copy(Self.statement(device, user, window)) { piece throws(ExportFault) in
                guard let position = Position(copyPiece: piece) else { return }
                count += 1
                try body(position)
            }
            next = end
            if count < Self.windowRows.lowerBound { width = min(width * 2, Self.windowDaysMax) }
            if count > Self.windowRows.upperBound { width = max(width / 2, 1) }
        }
    }

    private static func statement(
        _ device: String, _ user: String, _ window: ExportScope
    ) -> String {
        """
        COPY (
            SELECT time, latitude, longitude, coalesce(altitude_m, 'NaN'),
                coalesce(accuracy_m, 'NaN'), coalesce(vertical_accuracy_m, 'NaN'),
                coalesce(speed_m_per_s, 'NaN'), coalesce(course_degrees, 'NaN')
            FROM analytics.gps
            WHERE device_id = \(device.sqlLiteral) AND user_id = \(user.sqlLiteral)
                AND \(window.condition(on: "time"))
            ORDER BY time, latitude, longitude
        ) TO STDOUT (FORMAT binary)
        """
    }
}
