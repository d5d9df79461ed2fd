package import Readings
package import Scanner

/// What a group writes after its claim, before it commits.
package struct GroupChanges {
    /// What the claim has counted too much.
    package var corrections: [CountCorrection] = []
    /// Watermarks that the claim has moved too far.
    package var lowered: [OwnWatermarks] = []
    /// Late readings, of devices whose rows the claim has locked.
    package var late: [Deduplication.LateReadings] = []
    /// Devices whose attributes are new.
    package var attributes: [Claim] = []
    package var quarantined: [Quarantined] = []
    /// Kinds without rows are left out.
    package var rows: [Rows] = []
    package var due = DueHours()

    /// There is nothing but rows and what follows them.
    package var isEmptyButForRows: Bool {
        corrections.isEmpty && lowered.isEmpty && late.isEmpty && attributes.isEmpty
            && quarantined.isEmpty
    }
}

extension GroupChanges {
    /// Readings that the claim counted but the group does not store.
    package struct CountCorrection {
        package let deviceKey: Int64
        package let readings: Int64
    }
}

extension GroupChanges {
    /// The newest times by kind that are stored of a device for its user; `Int64.min` when none is.
    package struct OwnWatermarks {
        package let deviceKey: Int64
        package let newest: ByKind<Int64>
    }
}

extension GroupChanges {
    /// One reading on its way to the quarantine.
    package struct Quarantined {
        package let deviceKey: Int64
        package let deviceID: String
        package let userID: String
        package let keyName: String
        package let receivedAt: Timestamp
        package let reading: QuarantinedReading
    }
}

extension GroupChanges {
    /// The rows of one kind that a group stores.
    package struct Rows {
        package let kind: ReadingKind
        /// Each device batch with what is to be written of it.
        package let parts: [(deviceBatch: DeviceBatch, verdict: Deduplication.Verdict)]

        /// How many rows there are.
        var count: Int {
            parts.reduce(0) { sum, part in
                switch part.verdict {
                case .all: sum + part.deviceBatch.summary(of: kind).count
                case .some(_, let kept): sum + kept
                }
            }
        }

        /// Bytes of all tuples.
        var byteCount: Int {
            var bytes = 0
            forEachRun { bytes += $0.count }
            return bytes
        }

        /// Calls `body` with each run of whole tuples.
        package func forEachRun<Failure: Error>(
            _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
        ) throws(Failure) {
            for part in parts {
                var failure: Failure?
                part.deviceBatch.withRows(of: kind) { rows in
                    let tuples = rows.tuples.bytes
                    do throws(Failure) {
                        switch part.verdict {
                        case .all:
                            if tuples.count > 0 { try body(tuples) }
                        case .some(let ranges, _):
                            for range in ranges {
                                try body(UnsafeRawBufferPointer(rebasing: tuples[range]))
                            }
                        }
                    } catch {
                        failure = error
                    }
                }
                if let failure { throw failure }
            }
        }
    }
}
