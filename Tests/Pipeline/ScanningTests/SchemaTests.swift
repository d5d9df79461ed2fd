import Readings
import ScanningSupport
import Testing

@testable import Scanning

@Suite struct `The schema of readings` {
    private static let limits = ReadingLimits()

    private func scanned(_ readings: [String]) throws -> ScannedBatch {
        let data = readings.joined(separator: ",")
        var scanner = BatchScanner(limits: Self.limits)
        scanner.begin(now: BatchGenerator.now)
        let body = Array("{\"metadata\":{\"device_id\":\"d\"},\"data\":[\(data)]}".utf8)
        try scanner.scan(body.span.bytes)
        return try scanner.finish()
    }

    /// An unknown key sends a reading to the general path.
    private func unusual(_ reading: String) -> String { "\(reading.dropLast()),\"x\":0}" }

    @Test(arguments: ReadingKind.allCases)
    func `the fast path makes the rows that the general path makes`(kind: ReadingKind) throws {
        let fields = kind.schema.fields
        for left in [nil] + fields.indices.map(Optional.some) {
            let chosen = fields.indices.filter { $0 != left }.map { fields[$0] }
            let text = kind.plainReading(chosen)
            let fast = try scanned([text])
            let complete = try scanned([unusual(text)])
            #expect(fast.problems == complete.problems, "\(text)")
            #expect(fast.parcels[0].tuples(of: kind) == complete.parcels[0].tuples(of: kind))
            let isWhole = left.map { fields[$0].isOptional } ?? true
            #expect(fast.parcels[0].rowCount == (isWhole ? 1 : 0), "\(text)")
            if let left, !isWhole {
                #expect(fast.problems.map(\.reason) == [fields[left].reason(.missing)])
            }
        }
    }

    /// These kinds are frequent enough to be worth their lines on the fast path; others may do
    /// without.
    @Test(arguments: [ReadingKind.gps, .vital, .event])
    func `the fast path knows the usual kinds`(kind: ReadingKind) {
        var input = PaddedInput()
        let text = Array(kind.plainReading().utf8)
        input.replace(first: 0, with: text.span.bytes)
        var fast = FastReading()
        var times = TimestampParser()
        var metadata = FlatObject()
        let limits = FastLimits(Self.limits, earliest: .min, latest: .max)
        let end = fast.read(
            input.window, at: 0, spaced: false, limits: limits, times: &times,
            metadata: &metadata)
        #expect(end == text.count)
    }

    // MARK: Records of the spool

    private func parcel() throws -> Parcel {
        let readings = ReadingKind.allCases.map { $0.plainReading() }
        return try scanned(readings + ["{\"type\":\"nothing\"}"]).parcels[0]
    }

    private func sameRows(_ one: Parcel?, _ other: Parcel) -> Bool {
        guard let one else { return false }
        return one.quarantined == other.quarantined
            && ReadingKind.allCases.allSatisfy { one.tuples(of: $0) == other.tuples(of: $0) }
    }

    /// Everything before the tuples.
    private func head(of parcel: Parcel) -> RecordWriter {
        var record = RecordWriter()
        record.write(parcel.deviceID)
        record.write(parcel.key.value)
        record.write(parcel.key.check)
        record.write(0 as UInt8)
        return record
    }

    @Test func `a record names its kinds`() throws {
        let parcel = try parcel()
        var record = RecordWriter()
        parcel.write(to: &record)
        var reader = RecordReader(record.bytes)
        #expect(sameRows(Parcel(from: &reader, namesKinds: true), parcel))
        #expect(reader.isAtEnd)
    }

    @Test func `a record from before kinds were named is read`() throws {
        let parcel = try parcel()
        var record = head(of: parcel)
        for kind in [ReadingKind.gps, .vital, .event] { record.write(parcel.tuples(of: kind)) }
        record.write(0 as UInt32)
        var reader = RecordReader(record.bytes)
        let read = try #require(Parcel(from: &reader, namesKinds: false))
        #expect(reader.isAtEnd)
        for kind in [ReadingKind.gps, .vital, .event] {
            #expect(read.tuples(of: kind) == parcel.tuples(of: kind))
        }
    }

    @Test func `a record with a kind of a later version is not`() throws {
        let parcel = try parcel()
        var record = head(of: parcel)
        record.write(1 as UInt8)
        record.write("kind of tomorrow")
        record.write(parcel.tuples(of: .gps))
        record.write(0 as UInt32)
        var reader = RecordReader(record.bytes)
        #expect(Parcel(from: &reader, namesKinds: true) == nil)
    }
}
