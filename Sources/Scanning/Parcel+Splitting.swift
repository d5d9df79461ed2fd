public import Readings

/// For rows that PostgreSQL refuses: halves of a parcel, down to single rows, and setting rows aside.
extension Parcel {
    /// Two parcels with half of the rows each, the first with the attributes and everything that was
    /// set aside; nil when there are fewer than two rows.
    ///
    /// - Complexity: O(bytes), they are copied.
    public func halves() -> (Parcel, Parcel)? {
        guard rowCount >= 2 else { return nil }
        let first = emptied(keepingAttributes: true)
        first.quarantined = quarantined
        let second = emptied(keepingAttributes: false)
        var left = rowCount / 2
        func share(_ rows: borrowing KindRows, _ first: inout KindRows, _ second: inout KindRows) {
            let bytes = rows.tuples.bytes
            var start = 0
            while start < bytes.count {
                let end = TupleBuffer.tupleEnd(in: bytes, at: start)
                let time = TupleBuffer.time(in: bytes, at: start)
                let tuple = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                if left > 0 {
                    first.append(tuple: tuple, time: time)
                    left -= 1
                } else {
                    second.append(tuple: tuple, time: time)
                }
                start = end
            }
        }
        share(gps, &first.gps, &second.gps)
        share(vital, &first.vital, &second.vital)
        share(event, &first.event, &second.event)
        return (first, second)
    }

    /// The same parcel with all its rows set aside for `reason`, as JSON made from the rows; what
    /// was set aside before stays.
    public func settingAsideAll(_ reason: QuarantineReason) -> Parcel {
        settingAside(reason) { _, _ in true }
    }

    /// The same with some rows set aside: those whose kind and time, in microseconds since 2000,
    /// `isAside` picks.
    public func settingAside(
        _ reason: QuarantineReason, where isAside: (ReadingKind, Int64) -> Bool
    ) -> Parcel {
        let parcel = emptied(keepingAttributes: true)
        parcel.quarantined = quarantined
        func sort(_ kind: ReadingKind, _ rows: borrowing KindRows, _ kept: inout KindRows) {
            let bytes = rows.tuples.bytes
            var start = 0
            while start < bytes.count {
                let end = TupleBuffer.tupleEnd(in: bytes, at: start)
                let time = TupleBuffer.time(in: bytes, at: start)
                if isAside(kind, time) {
                    parcel.quarantined.append(
                        QuarantinedReading(
                            index: QuarantinedReading.indexUnknown, reason: reason,
                            body: ReadingText.json(kind, bytes, at: start)))
                } else {
                    kept.append(
                        tuple: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), time: time)
                }
                start = end
            }
        }
        sort(.gps, gps, &parcel.gps)
        sort(.vital, vital, &parcel.vital)
        sort(.event, event, &parcel.event)
        return parcel
    }
}

extension KindRows {
    fileprivate mutating func append(tuple: UnsafeRawBufferPointer, time: Int64) {
        note(time: time)
        tuples.append(tuple)
    }
}
