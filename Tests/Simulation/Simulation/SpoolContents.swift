import Ingest
import SpoolLog

/// The pending records of a spool, taken apart.
struct SpoolContents {
    private(set) var readings: Set<Reading> = []
    private(set) var quarantined: Set<Quarantined> = []
    private(set) var notes: Set<Note> = []
    private(set) var records = 0
    /// Records that were read but could not be decoded.
    private(set) var strange = 0

    init(_ spool: Spool<SimulatedDisk>) throws(SpoolError) {
        var last: RecordID?
        while let record = try spool.next(after: last) {
            last = record.id
            records += 1
            if record.kind == .workUnits, let units = SpooledUnits(record.payload) {
                for unit in units.units {
                    notes.insert(Note(kindName: unit.kindName, payload: unit.payload))
                }
                continue
            }
            guard let spooled = SpooledDeviceBatches(record.payload) else {
                strange += 1
                continue
            }
            let parts = Parts(spooled.deviceBatches.map(\.deviceBatch))
            readings.formUnion(parts.readings.map(\.reading))
            quarantined.formUnion(parts.quarantined)
        }
    }
}
