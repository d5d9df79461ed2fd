import Readings

/// The vital readings of a device batch whose metrics have names in place of codes. The code of
/// each tuple is the place of its name in ``ScannedBatch/metricNames``.
final class NamedVitals {
    var rows = KindRows()

    /// Where a tuple has its code, two bytes, big-endian.
    static let codeOffset = TupleBuffer.startBytes + 4
}

extension DeviceBatch {
    /// Gives the readings by name their codes; those without one are quarantined.
    ///
    /// - Parameter codes: by the place of the name.
    fileprivate func resolve(_ names: [String], _ codes: [Int16?]) {
        guard let named else { return }
        self.named = nil
        let bytes = named.rows.tuples.bytes
        var tuple: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let end = TupleBuffer.tupleEnd(in: bytes, at: start)
            let time = TupleBuffer.time(in: bytes, at: start)
            let offset = start + NamedVitals.codeOffset
            let place = Int(
                Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)))
            if let code = codes[place] {
                tuple.removeAll(keepingCapacity: true)
                tuple += bytes[start..<end]
                let code = UInt16(bitPattern: code)
                tuple[NamedVitals.codeOffset] = UInt8(code >> 8)
                tuple[NamedVitals.codeOffset + 1] = UInt8(truncatingIfNeeded: code)
                tuple.withUnsafeBytes { rows.vital.append(tuple: $0, time: time) }
            } else {
                quarantined.append(
                    QuarantinedReading(
                        index: QuarantinedReading.indexUnknown, reason: .metricTooMany,
                        body: ReadingText.json(.vital, bytes, at: start, metric: names[place])))
            }
            start = end
        }
    }
}

extension ScannedBatch {
    /// The same batch, with codes for the names of metrics. The device batches are changed, so no
    /// other may use them any more.
    ///
    /// - Parameter codes: of ``metricNames``, in their order; nil: there is none for that name.
    public func resolved(_ codes: [Int16?]) -> ScannedBatch {
        precondition(codes.count == metricNames.count, "BUG: codes=\(codes.count)")
        for deviceBatch in deviceBatches { deviceBatch.resolve(metricNames, codes) }
        return ScannedBatch(
            received: received, quarantined: quarantined, problems: problems, ignored: ignored,
            metricNames: [], deviceBatches: deviceBatches)
    }
}
