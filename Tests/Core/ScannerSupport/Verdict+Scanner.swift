public import Readings
public import Scanner

extension Verdict {
    /// The scanner's verdict on a body that arrives in `chunks`.
    ///
    /// - Parameter chunks: lengths that add up to the body's. Each chunk gets memory of its own,
    ///   which has exactly its length and is freed after the call, so that the address sanitizer
    ///   sees every read beyond it and every use after it.
    public init(
        of scanner: inout BatchScanner, on body: [UInt8], chunks: [Int], now: Timestamp,
        _ shape: BodyShape = .document
    ) {
        scanner.begin(now: now, shape: shape)
        do throws(ScanError) {
            var offset = 0
            for length in chunks {
                let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 1)
                defer { chunk.deallocate() }
                chunk.copyBytes(from: body[offset..<offset + length])
                try scanner.scan(UnsafeRawBufferPointer(chunk).bytes)
                offset += length
            }
            precondition(offset == body.count, "BUG: chunks=\(offset) body=\(body.count)")
            self = .taken(DecodedBatch(try scanner.finish()))
        } catch {
            self = .refused(error, received: scanner.received)
        }
    }

    /// The verdict of a fresh scanner.
    public init(
        ofFreshScannerOn body: [UInt8], chunks: [Int], limits: ReadingLimits = ReadingLimits(),
        shape: BodyShape = .document, now: Timestamp
    ) {
        var scanner = BatchScanner(limits: limits)
        self.init(of: &scanner, on: body, chunks: chunks, now: now, shape)
    }
}

extension DecodedBatch {
    /// A copy of everything that the scanner returned.
    public init(_ batch: ScannedBatch) {
        received = batch.received
        quarantined = batch.quarantined
        problems = batch.problems
        metricNames = batch.metricNames
        ignoredCount = batch.ignored.count
        ignored = batch.ignored.names.map { Array($0.utf8) }
        devices = batch.deviceBatches.map(DecodedDevice.init)
    }
}

extension DecodedDevice {
    /// A copy of everything in a device batch.
    public init(_ deviceBatch: DeviceBatch) {
        self.init(
            id: Array(deviceBatch.deviceID.utf8), userID: Array(deviceBatch.userID.utf8),
            key: deviceBatch.key)
        modelName = deviceBatch.attributes?.modelName.map { Array($0.utf8) }
        version = deviceBatch.attributes?.version.map { Array($0.utf8) }
        for kind in ReadingKind.allCases {
            self[kind].tuples = deviceBatch.tuples(of: kind)
            deviceBatch.withRows(of: kind) { rows in
                self[kind].count = rows.count
                self[kind].first = rows.first
                self[kind].last = rows.last
                self[kind].strictlyRising = rows.strictlyRising
            }
        }
        if let rows = deviceBatch.namedRows {
            named.tuples = rows.tuples
            named.count = rows.summary.count
            named.first = rows.summary.first
            named.last = rows.summary.last
            named.strictlyRising = rows.summary.strictlyRising
        }
        quarantined = deviceBatch.quarantined
    }
}
