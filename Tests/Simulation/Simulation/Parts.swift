import Readings
import Scanner

/// A batch, taken apart into the pieces that the oracle follows.
struct Parts {
    /// A reading, the quarantine row that it becomes when the database refuses it, its device's
    /// `key_check`, and the same reading whoever its user is.
    let readings: [(reading: Reading, refused: Quarantined, check: Int64, content: Content)]
    let quarantined: [Quarantined]

    init(_ deviceBatches: some Sequence<DeviceBatch>) {
        var readings: [(Reading, Quarantined, Int64, Content)] = []
        var quarantined: [Quarantined] = []
        for deviceBatch in deviceBatches {
            let key = deviceBatch.key.value
            quarantined += deviceBatch.quarantined.map {
                Quarantined(deviceKey: key, body: $0.body)
            }
            guard deviceBatch.rowCount > 0 else { continue }
            let bodies = deviceBatch.settingAsideAll(.refusedByDatabase).quarantined
                .dropFirst(deviceBatch.quarantined.count)
            var rows = ReadingKind.allCases.flatMap { Self.rows(of: deviceBatch, $0) }
            if deviceBatch.hasMetricNames {
                // Those by name follow the others.
                let resolved = deviceBatch.resolved(Workload.code(ofMetric:))
                rows += Self.rows(of: resolved, .vital)
                    .dropFirst(deviceBatch.summary(of: .vital).count)
            }
            for (row, body) in zip(rows, bodies) {
                let refused = Quarantined(deviceKey: key, body: body.body)
                let content = Content(row, of: deviceBatch.deviceID)
                readings.append((row, refused, deviceBatch.key.check, content))
            }
        }
        self.readings = readings
        self.quarantined = quarantined
    }

    private static func rows(of deviceBatch: DeviceBatch, _ kind: ReadingKind) -> [Reading] {
        deviceBatch.withRows(of: kind) { all in
            let tuples = all.tuples.bytes
            var rows: [Reading] = []
            var start = 0
            while start < tuples.count {
                let end = TupleBuffer.tupleEnd(in: tuples, at: start)
                rows.append(Reading(kind: kind, tuple: [UInt8](tuples[start..<end])))
                start = end
            }
            return rows
        }
    }

    var count: Int { readings.count + quarantined.count }
}
