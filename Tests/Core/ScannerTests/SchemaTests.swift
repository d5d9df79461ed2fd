import Readings
import ScannerSupport
import Testing

@testable import Scanner

@Suite struct `The schema of readings` {
    private static let limits = ReadingLimits()

    private func scanned(
        _ readings: [String], metadata: String = #""device_id":"d""#
    ) throws -> ScannedBatch {
        let data = readings.joined(separator: ",")
        var scanner = BatchScanner(limits: Self.limits)
        scanner.begin(now: BatchGenerator.now)
        let body = Array("{\"metadata\":{\(metadata)},\"data\":[\(data)]}".utf8)
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
            #expect(
                fast.deviceBatches[0].tuples(of: kind) == complete.deviceBatches[0].tuples(of: kind)
            )
            let isWhole = left.map { fields[$0].isOptional } ?? true
            #expect(fast.deviceBatches[0].rowCount == (isWhole ? 1 : 0), "\(text)")
            if let left, !isWhole {
                #expect(fast.problems.map(\.reason) == [fields[left].reason(.missing)])
            }
        }
    }

    /// These kinds are frequent enough to be worth their lines on the fast path; others may do
    /// without. Lines and translations name more.
    @Test(arguments: [ReadingKind.gps, .vital, .event])
    func `the fast path knows the usual kinds`(kind: ReadingKind) {
        let text = kind.plainReading()
        #expect(read(text, wide: false) == text.utf8.count)
        let named = text.dropLast() + #","device_id":"w", "user_id" : "u"}"#
        #expect(read(named, wide: false) < 0)
        #expect(read(named, wide: true) == named.utf8.count)
    }

    @Test func `the wide fast path knows metrics by name and times that are numbers`() {
        let text = #"{"type":"vital","t":1770717600.5,"metric":"a.b","val":1}"#
        #expect(read(text, wide: true) == text.utf8.count)
    }

    private func read(_ text: some StringProtocol, wide: Bool) -> Int {
        var input = PaddedInput()
        let text = Array(text.utf8)
        input.replace(first: 0, with: text.span.bytes)
        var fast = FastReading()
        var times = TimestampParser()
        var metadata = FlatObject()
        var details = PositionDetails()
        let limits = FastLimits(Self.limits, earliest: .min, latest: .max)
        return wide
            ? fast.read(
                input.window, at: 0, wide: true, limits: limits, times: &times,
                metadata: &metadata, details: &details)
            : fast.read(
                input.window, at: 0, wide: false, limits: limits, times: &times,
                metadata: &metadata, details: &details)
    }

    // MARK: Records of the spool

    private func deviceBatch() throws -> DeviceBatch {
        let readings = ReadingKind.allCases.map { $0.plainReading() }
        return try scanned(
            readings + ["{\"type\":\"nothing\"}"],
            metadata: #""device_id":"d","user_id":"ann","version":"1""#
        ).deviceBatches[0]
    }

    private func sameRows(_ one: DeviceBatch?, _ other: DeviceBatch) -> Bool {
        guard let one else { return false }
        return one.quarantined == other.quarantined
            && ReadingKind.allCases.allSatisfy { one.tuples(of: $0) == other.tuples(of: $0) }
    }

    /// Everything before the tuples, in a record from before device batches had a user: the key is
    /// that of the id.
    private func oldHead(of deviceBatch: DeviceBatch) -> RecordWriter {
        var record = RecordWriter()
        record.write(deviceBatch.deviceID)
        record.write(deviceBatch.idKey.value)
        record.write(deviceBatch.idKey.check)
        record.write(1 as UInt8)
        record.write("ann" as String?)
        record.write(nil as String?)
        record.write("1" as String?)
        return record
    }

    /// The tuples of one kind, with the key of the id.
    private func oldTuples(of kind: ReadingKind, _ deviceBatch: DeviceBatch) -> [UInt8] {
        var tuples = deviceBatch.tuples(of: kind)
        tuples.replaceSubrange(
            TupleBuffer.deviceKeyOffset..<TupleBuffer.deviceKeyOffset + 8,
            with: withUnsafeBytes(of: deviceBatch.idKey.value.bigEndian) { Array($0) })
        return tuples
    }

    @Test func `a record names its kinds`() throws {
        let deviceBatch = try deviceBatch()
        var record = RecordWriter()
        deviceBatch.write(to: &record)
        var reader = RecordReader(record.bytes)
        let read = try #require(DeviceBatch(from: &reader, .current))
        #expect(sameRows(read, deviceBatch) && reader.isAtEnd)
        #expect(read.userID == "ann" && read.key == deviceBatch.key)
        #expect(read.attributes == DeviceAttributes(modelName: nil, version: "1"))
    }

    private static func vital(_ second: Int, _ members: String) -> String {
        #"{"type":"vital","t":"2026-02-10T10:00:0\#(second)Z","val":1,\#(members)}"#
    }

    /// Three readings by name, one by code; of another device one by name.
    private func namedBatch() throws -> DeviceBatchList {
        try scanned([
            Self.vital(0, #""metric":"a""#), Self.vital(1, #""code":5"#),
            Self.vital(2, #""metric":"c","device_id":"w""#), Self.vital(3, #""metric":"b""#),
            Self.vital(4, #""metric":"a""#),
        ]).deviceBatches
    }

    private static let codes: [String: Int16] = ["a": 1000, "b": 1001, "c": 1002]

    @Test func `a record keeps the names of metrics, each device's its own`() throws {
        for (deviceBatch, names) in zip(try namedBatch(), [["a", "b"], ["c"]]) {
            #expect(deviceBatch.metricNames == names)
            var record = RecordWriter()
            deviceBatch.write(to: &record)
            var reader = RecordReader(record.bytes)
            let read = try #require(DeviceBatch(from: &reader, .current))
            #expect(reader.isAtEnd && read.metricNames == names)
            #expect(read.rowCount == deviceBatch.rowCount)
            #expect(
                sameRows(read.resolved { Self.codes[$0] }, deviceBatch.resolved { Self.codes[$0] }))
            // Cut or changed anywhere, it is another batch or none, and never a trap.
            for end in record.bytes.indices {
                var cut = RecordReader(Array(record.bytes[..<end]))
                #expect(DeviceBatch(from: &cut, .current) == nil)
                var changed = record.bytes
                changed[end] = ~changed[end]
                var other = RecordReader(changed)
                _ = DeviceBatch(from: &other, .current)?.resolved { Self.codes[$0] }
            }
        }
    }

    @Test func `metrics by name stay with their readings when a batch is split or set aside`()
        throws
    {
        let deviceBatch = try namedBatch()[0]
        #expect(deviceBatch.rowCount == 4 && deviceBatch.hasMetricNames)
        let whole = deviceBatch.resolved { Self.codes[$0] }
        #expect(!whole.hasMetricNames && whole.rowCount == 4)
        // The original is as it was: it may be written again, or go to the spool.
        #expect(
            deviceBatch.metricNames == ["a", "b"]
                && deviceBatch.tuples(of: .vital).count < whole.tuples(of: .vital).count)
        let (first, second) = try #require(deviceBatch.halves())
        #expect(first.rowCount == 2 && second.rowCount == 2)
        let halves = [first, second].map { $0.resolved { Self.codes[$0] }.tuples(of: .vital) }
        #expect(halves[0] + halves[1] == whole.tuples(of: .vital))
        let late = try #require(deviceBatch.namedRows).summary.last
        let rest = deviceBatch.settingAside(.timeTooOld) { $0 == .vital && $1 == late }
        #expect(rest.rowCount == 3 && rest.metricNames == ["a", "b"])
        #expect(
            rest.quarantined.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"t":"2026-02-10T10:00:04.000000Z","type":"vital","metric":"a","val":1.0}"#
            ])
        let none = deviceBatch.resolved { $0 == "a" ? 7 : nil }
        #expect(none.rowCount == 3 && none.quarantined.map(\.reason) == [.metricTooMany])
    }

    /// Its rows belong to the user whom the batch named, and get the key of that.
    @Test(arguments: [DeviceBatch.RecordForm.withoutUser, .withoutKinds])
    func `a record from before device batches had a user is read`(form: DeviceBatch.RecordForm)
        throws
    {
        let deviceBatch = try deviceBatch()
        var record = oldHead(of: deviceBatch)
        let kinds: [ReadingKind] = [.gps, .vital, .event]
        if form == .withoutUser { record.write(UInt8(kinds.count)) }
        for kind in kinds {
            if form == .withoutUser { record.write(kind.name) }
            record.write(oldTuples(of: kind, deviceBatch))
        }
        record.write(0 as UInt32)
        var reader = RecordReader(record.bytes)
        let read = try #require(DeviceBatch(from: &reader, form))
        #expect(reader.isAtEnd && read.userID == "ann" && read.key == deviceBatch.key)
        for kind in kinds { #expect(read.tuples(of: kind) == deviceBatch.tuples(of: kind)) }
    }

    /// A position had five columns.
    @Test func `a record from before positions had details is read`() throws {
        let reading = #"{"t":"2026-02-10T10:00:00Z","type":"gps","lat":5.25,"lon":5.25,"acc":5.25}"#
        let deviceBatch = try scanned([reading, reading]).deviceBatches[0]
        let tuples = deviceBatch.tuples(of: .gps)
        let half = tuples.count / 2
        var record = RecordWriter()
        record.write(deviceBatch.deviceID)
        record.write(deviceBatch.userID)
        record.write(deviceBatch.key.value)
        record.write(deviceBatch.key.check)
        record.write(0 as UInt8)
        record.write(1 as UInt8)
        record.write("gps")
        // Without three lengths of NULL.
        record.write(
            [0, 5] + tuples[2..<half - 12] + [0, 5] + tuples[half + 2..<tuples.count - 12])
        record.write(0 as UInt32)
        var reader = RecordReader(record.bytes)
        let read = try #require(DeviceBatch(from: &reader, .current))
        #expect(read.tuples(of: .gps) == tuples)
    }

    @Test(arguments: [3, 9] as [UInt8])
    func `a record with too few or too many columns is not`(fields: UInt8) throws {
        let deviceBatch = try deviceBatch()
        var record = oldHead(of: deviceBatch)
        record.write(1 as UInt8)
        record.write("gps")
        let null = [UInt8](repeating: 0xFF, count: 4)
        let start = Array(deviceBatch.tuples(of: .gps)[2..<26])
        record.write([0, fields] + start + Array((2..<fields).map { _ in null }.joined()))
        record.write(0 as UInt32)
        var reader = RecordReader(record.bytes)
        #expect(DeviceBatch(from: &reader, .withoutUser) == nil)
    }

    @Test func `a record with a kind of a later version is not`() throws {
        let deviceBatch = try deviceBatch()
        var record = oldHead(of: deviceBatch)
        record.write(1 as UInt8)
        record.write("kind of tomorrow")
        record.write(deviceBatch.tuples(of: .gps))
        record.write(0 as UInt32)
        var reader = RecordReader(record.bytes)
        #expect(DeviceBatch(from: &reader, .withoutUser) == nil)
    }
}
