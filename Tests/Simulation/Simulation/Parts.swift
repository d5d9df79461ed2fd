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
            var rows: [Reading] = []
            for kind in ReadingKind.allCases {
                deviceBatch.withRows(of: kind) { all in
                    let tuples = all.tuples.bytes
                    var start = 0
                    while start < tuples.count {
                        let end = TupleBuffer.tupleEnd(in: tuples, at: start)
                        rows.append(Reading(kind: kind, tuple: [UInt8](tuples[start..<end])))
                        start = end
                    }
                }
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

    var count: Int { readings.count + quarantined.count }
}
