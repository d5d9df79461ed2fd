import Readings
import Scanner

/// A batch, taken apart into the pieces that the oracle follows.
struct Parts {
    /// A reading, the quarantine rows of which it becomes one when it is refused (its metric may have
    /// a name or already a code), its device's `key_check`, and the same reading whoever its user is.
    let readings: [(reading: Reading, refused: [Quarantined], check: Int64, content: Content)]
    /// With the readings whose metric gets no code.
    let quarantined: [Quarantined]

    init(_ deviceBatches: some Sequence<DeviceBatch>) {
        var readings: [(Reading, [Quarantined], Int64, Content)] = []
        var quarantined: [Quarantined] = []
        for deviceBatch in deviceBatches {
            let key = deviceBatch.key
            func row(_ reading: QuarantinedReading) -> Quarantined {
                Quarantined(deviceKey: key.value, body: reading.body)
            }
            let resolved = deviceBatch.resolved(Workload.code(ofMetric:))
            quarantined += resolved.quarantined.map(row)
            let rows = ReadingKind.allCases.flatMap { Self.rows(of: resolved, $0) }
            let refused = Self.refused(resolved).map(row)
            let byName = Self.refusedByName(deviceBatch, resolved).map(row)
            // Those by name follow the others of their kind.
            let namedEnd = resolved.summary(of: .gps).count + resolved.summary(of: .vital).count
            let named = namedEnd - byName.count..<namedEnd
            for (place, reading) in rows.enumerated() {
                let names = named.contains(place) ? [byName[place - named.lowerBound]] : []
                let content = Content(reading, of: deviceBatch.deviceID)
                readings.append((reading, [refused[place]] + names, key.check, content))
            }
        }
        self.readings = readings
        self.quarantined = quarantined
    }

    /// What its rows become when all are refused.
    private static func refused(_ deviceBatch: DeviceBatch) -> [QuarantinedReading] {
        let all = deviceBatch.settingAsideAll(.refusedByDatabase).quarantined
        return Array(all.dropFirst(deviceBatch.quarantined.count))
    }

    /// The same of the readings by name, as long as they have their names; without those that get
    /// no code.
    private static func refusedByName(
        _ deviceBatch: DeviceBatch, _ resolved: DeviceBatch
    ) -> [QuarantinedReading] {
        guard deviceBatch.hasMetricNames else { return [] }
        let withCode = ReadingKind.allCases.reduce(0) { $0 + deviceBatch.summary(of: $1).count }
        var codeless = resolved.quarantined.dropFirst(deviceBatch.quarantined.count)
        return refused(deviceBatch).dropFirst(withCode).filter { reading in
            guard codeless.first?.body == reading.body else { return true }
            codeless.removeFirst()
            return false
        }
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
