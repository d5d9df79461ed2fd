public import Readings

/// Scans one request body after another; see `Scanning` for the design.
///
/// Call `begin`, then `scan` for each chunk as it arrives, then `finish`. After an error only
/// `begin` may follow. One owner, one thread at a time. Keep the scanner for many batches: it
/// reuses its buffers.
public struct BatchScanner: ~Copyable {
    let limits: ReadingLimits
    /// The limits' durations in microseconds.
    private let ageMax: Int64
    private let aheadMax: Int64
    var input = PaddedInput()
    /// The offset of the input's first byte in the body.
    var inputOffset = 0
    var position = 0
    /// The next attempt waits until the input has grown to this: an incomplete reading is read
    /// again only when the buffered bytes have doubled.
    var attemptAt = 0
    /// Bytes of all attempts of this batch, including bytes that were read again.
    private(set) var attemptedBytes = 0

    var state = State.start
    /// The envelope's device; nil until the envelope was read.
    var sender: Sender?
    let senders: SenderCache?
    var hasData = false
    var validator = StreamingValidator()
    /// The first bytes of an oversized reading.
    var oversized: [UInt8] = []

    var times = TimestampParser()
    var flat = FlatObject()
    var details = PositionDetails()
    var fastLimits: FastLimits

    var rows = ByKind<KindRows> { _ in KindRows() }
    /// The fields of a reading from the complete path.
    var plainFields: [UInt8] = []
    var isKeyPending = true
    var deviceKey: Int64 = 0
    var overriding: [DeviceBatch] = []
    /// By key, not by id: Swift strings that compare equal may differ in their bytes.
    var overridingIndex: [DeviceIDKey: Int] = [:]
    var quarantined: [QuarantinedReading] = []

    var ignored = IgnoredFields()
    /// Names of metrics in this batch, and the places of each.
    var metricNames: [String] = []
    var metricPlaces: [String: Int16] = [:]
    /// The last one on the fast path.
    var lastMetric: (name: [UInt8], place: Int16)?
    /// The envelope's device's readings by name.
    var named: NamedVitals?
    /// The last unknown key of the body's object.
    var otherKey = IgnoredFields()

    var shape = BodyShape.document
    /// There is no envelope: each reading names its device.
    var isBare = false
    /// The devices and users of a bare body.
    var bare = BareDevices()

    /// Elements of `data` seen in this batch, even if it was rejected later.
    public internal(set) var received = 0

    enum State {
        case start
        case keyOrEnd, key
        case metadataColon, dataColon, otherColon
        case metadata, data, other
        case firstElement, element, afterElement
        case afterMember
        /// Inside a key or value that is validated but not read.
        case skippingKey, skippingOther, skippingMetadata, skippingReading
        /// At the first byte of lines; at a line; inside one that is too long.
        case firstLine, line, skippingLine
        case end
    }

    /// A longer top-level key is unknown, even if every character is escaped.
    static let keyBytesMax = 64
    static let metadataBytesMax = 64 * 1024
    static let pieceBytes = 64 * 1024
    /// Bytes of input buffer that a scanner keeps between batches.
    static let keptBytes = 2 * pieceBytes

    /// Allocates an input buffer of a few KiB; other buffers when they are needed.
    ///
    /// - Parameter senders: shared by the scanners of a thread, which then don't parse the envelope
    ///   of a known device again.
    public init(limits: ReadingLimits, senders: SenderCache? = nil) {
        precondition(
            senders == nil || senders?.limits == limits, "BUG: limits unlike those of the cache")
        self.limits = limits
        self.senders = senders
        ageMax = limits.ageMax.microseconds
        aheadMax = limits.aheadMax.microseconds
        fastLimits = FastLimits(limits, earliest: 0, latest: 0)
    }

    /// The envelope's device; nil until the envelope was read.
    public var device: DeviceKey? { sender?.key }

    /// The envelope's device as it is named, under the same conditions.
    public var deviceID: String? { sender?.deviceID }

    /// Starts a batch and discards the previous one.
    ///
    /// - Parameters:
    ///   - now: the server's clock, to find times that are too old or in the future.
    ///   - expectedBytes: size of the body if it is known; sizes the first buffers.
    ///   - shape: the form of the body.
    public mutating func begin(
        now: Timestamp, expectedBytes: Int = .max, shape: BodyShape = .document
    ) {
        input.removeAll()
        input.shrink(to: Self.keptBytes)
        inputOffset = 0
        position = 0
        attemptAt = 1
        attemptedBytes = 0
        self.shape = shape
        state = shape == .lines ? .firstLine : .start
        if isBare { bare = BareDevices() }
        isBare = shape == .lines
        sender = nil
        hasData = false
        fastLimits = FastLimits(
            limits, earliest: now.microseconds - ageMax, latest: now.microseconds + aheadMax)
        for kind in ReadingKind.allCases { rows[kind].removeAll(expectedBytes: expectedBytes) }
        isKeyPending = true
        deviceKey = 0
        if !overridingIndex.isEmpty {
            overriding = []
            overridingIndex = [:]
        }
        if !quarantined.isEmpty { quarantined = [] }
        if !oversized.isEmpty { oversized = [] }
        if ignored.count > 0 { ignored = IgnoredFields() }
        if !metricNames.isEmpty {
            (metricNames, metricPlaces, lastMetric, named) = ([], [:], nil, nil)
        }
        received = 0
    }

    /// Takes the next bytes of the body; they are not retained.
    ///
    /// - Throws: the first fault of the body; the batch is rejected then.
    public mutating func scan(_ chunk: RawSpan) throws(ScanError) {
        var rest = chunk
        while rest.byteCount > 0 {
            let piece = rest.extracting(first: Self.pieceBytes)
            rest = rest.extracting(droppingFirst: piece.byteCount)
            inputOffset += position
            input.replace(first: position, with: piece)
            position = 0
            if input.end >= attemptAt { try attempt() }
        }
    }

    private mutating func attempt() throws(ScanError) {
        attemptedBytes += input.end - position
        try advance()
    }

    /// Ends the body.
    ///
    /// - Throws: also when the body is truncated or lacks `metadata` or `data`.
    public mutating func finish() throws(ScanError) -> ScannedBatch {
        try attempt()
        if shape == .lines { try finishLines() }
        guard state == .end else { throw .truncated(offset: inputOffset + input.end) }
        if isBare { return finishedBare() }
        guard let sender = sender.take() else { throw .envelope(.metadataMissing) }
        guard hasData else { throw .envelope(.dataMissing) }
        if isKeyPending {
            for kind in ReadingKind.allCases { rows[kind].tuples.stamp(key: sender.key.value) }
            named?.rows.tuples.stamp(key: sender.key.value)
            for deviceBatch in overriding {
                deviceBatch.give(to: sender.userID, isNamed: sender.namesUser)
            }
        }
        let deviceBatch =
            rows.tupleBytes <= TupleSlab.bytesMax
            ? DeviceBatch(sender: sender, copying: rows)
            : DeviceBatch(sender: sender, rows: ByKind<KindRows> { rows[$0].take() })
        deviceBatch.named = named.take()
        // Readings may name the envelope's device before the envelope is read.
        if !overriding.isEmpty, let index = overridingIndex[sender.idKey] {
            deviceBatch.append(overriding.remove(at: index))
        }
        if !quarantined.isEmpty { deviceBatch.quarantined = quarantined }
        return scanned(
            DeviceBatchList(first: deviceBatch, others: overriding.isEmpty ? [] : overriding))
    }

    /// The batch of a body without envelope.
    private mutating func finishedBare() -> ScannedBatch {
        scanned(bare.finish())
    }

    private func scanned(_ deviceBatches: consuming DeviceBatchList) -> ScannedBatch {
        let problems =
            quarantined.isEmpty
            ? []
            : quarantined.prefix(ScannedBatch.problemsMax).map {
                Problem(index: $0.index, reason: $0.reason)
            }
        if !metricNames.isEmpty {
            for place in deviceBatches.indices { deviceBatches[place].named?.names = metricNames }
        }
        return ScannedBatch(
            received: received, quarantined: quarantined.count, problems: problems,
            ignored: ignored, metricNames: metricNames, deviceBatches: deviceBatches)
    }
}

extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
