import Readings
import Scanning

/// The fields of tuples that rollups look at, read back from the bytes that go to COPY.
enum ReadingTuples {
    /// Calls `body` with every position that is to be stored.
    static func forEachFix(
        of parcel: Parcel, _ verdict: Sifting.Verdict, _ body: (Fix) -> Void
    ) {
        forEach(.gps, of: parcel, verdict) { tuples, start in
            body(
                Fix(
                    time: TupleBuffer.time(in: tuples, at: start),
                    latitude: float64(tuples, start + 30),
                    longitude: float64(tuples, start + 42)))
        }
    }

    /// Calls `body` with every measurement that is to be stored.
    static func forEachVital(
        of parcel: Parcel, _ verdict: Sifting.Verdict,
        _ body: (_ time: Int64, _ code: Int16, _ value: Double) -> Void
    ) {
        forEach(.vital, of: parcel, verdict) { tuples, start in
            body(
                TupleBuffer.time(in: tuples, at: start),
                Int16(bigEndian: tuples.loadUnaligned(fromByteOffset: start + 30, as: Int16.self)),
                float64(tuples, start + 36))
        }
    }

    private static func float64(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Double {
        Double(
            bitPattern: UInt64(
                bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }

    private static func forEach(
        _ kind: ReadingKind, of parcel: Parcel, _ verdict: Sifting.Verdict,
        _ body: (_ tuples: UnsafeRawBufferPointer, _ start: Int) -> Void
    ) {
        parcel.withRows(of: kind) { rows in
            let tuples = rows.tuples.bytes
            switch verdict {
            case .all: forEach(in: 0..<tuples.count, tuples, body)
            case .some(let ranges, _): for range in ranges { forEach(in: range, tuples, body) }
            }
        }
    }

    private static func forEach(
        in range: Range<Int>, _ tuples: UnsafeRawBufferPointer,
        _ body: (_ tuples: UnsafeRawBufferPointer, _ start: Int) -> Void
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            body(tuples, start)
            start = TupleBuffer.tupleEnd(in: tuples, at: start)
        }
    }
}
