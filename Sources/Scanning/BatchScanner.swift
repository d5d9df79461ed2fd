public import Readings

/// Scans one request body after another; see `Scanning` for the design.
///
/// `begin`, then `scan` for each chunk as it arrives, then `finish`. After an error only `begin`
/// may follow. One owner, one thread at a time; meant to be kept and used again, since its buffers
/// are.
public struct BatchScanner: ~Copyable {
    let limits: ReadingLimits
    /// The limits' durations in microseconds.
    private let ageMax: Int64
    private let aheadMax: Int64
    var input = PaddedInput()
    /// Offset in the body of the input's first byte.
    var inputOffset = 0
    var position = 0
    /// No attempt before the input has grown to this: what is incomplete is read again only when
    /// the bytes on hand have doubled.
    var attemptAt = 0

    var state = State.start
    var envelope = Envelope()
    var hasData = false
    var validator = StreamingValidator()
    /// The first bytes of a reading that is too large.
    var oversized: [UInt8] = []

    var times = TimestampParser()
    var fastLimits = FastLimits(
        earliest: 0, latest: 0, labelBytesMax: 0, valueTextBytesMax: 0)

    var gps = KindRows()
    var vital = KindRows()
    var event = KindRows()
    var isKeyPending = true
    var deviceKey: Int64 = 0
    var overriding: [Parcel] = []
    /// By key, not by id: equal strings may differ in their bytes.
    var overridingIndex: [DeviceKey: Int] = [:]
    var quarantined: [QuarantinedReading] = []

    /// Elements of `data` seen in this batch, also when it was refused later.
    public internal(set) var received = 0

    enum State {
        case start
        case keyOrEnd, key
        case metadataColon, dataColon, otherColon
        case metadata, data, other
        case firstElement, element, afterElement
        case afterMember
        /// Of a key or value that is not looked at; what comes behind it.
        case skippingKey, skippingOther, skippingMetadata, skippingReading
        case end
    }

    /// Longest top-level key that could be one of ours: every character escaped.
    static let keyBytesMax = 64
    static let metadataBytesMax = 64 * 1024
    static let pieceBytes = 64 * 1024
    /// What a scanner keeps between batches.
    static let keptBytes = 2 * pieceBytes

    /// Allocates an input buffer of a few KiB; the rest when it is needed.
    public init(limits: ReadingLimits) {
        self.limits = limits
        ageMax = limits.ageMax.microseconds
        aheadMax = limits.aheadMax.microseconds
    }

    /// Starts a batch; whatever came before is forgotten.
    ///
    /// - Parameters:
    ///   - now: the server's clock, for what is too old or in the future.
    ///   - expectedBytes: size of the body if it is known; sizes the first buffers.
    public mutating func begin(now: Timestamp, expectedBytes: Int = .max) {
        input.removeAll()
        input.shrink(to: Self.keptBytes)
        inputOffset = 0
        position = 0
        attemptAt = 1
        state = .start
        envelope = Envelope()
        hasData = false
        fastLimits = FastLimits(
            earliest: now.microseconds - ageMax, latest: now.microseconds + aheadMax,
            labelBytesMax: limits.labelBytesMax, valueTextBytesMax: limits.valueTextBytesMax)
        gps.removeAll(expectedBytes: expectedBytes)
        vital.removeAll(expectedBytes: expectedBytes)
        event.removeAll(expectedBytes: expectedBytes)
        isKeyPending = true
        deviceKey = 0
        overriding = []
        overridingIndex = [:]
        quarantined = []
        oversized = []
        received = 0
    }

    /// Takes the next bytes of the body; they are not retained.
    ///
    /// - Throws: the first fault of the body; the batch is lost then.
    public mutating func scan(_ chunk: RawSpan) throws(ScanError) {
        var rest = chunk
        while rest.byteCount > 0 {
            let piece = rest.extracting(first: Self.pieceBytes)
            rest = rest.extracting(droppingFirst: piece.byteCount)
            inputOffset += position
            input.replace(first: position, with: piece)
            position = 0
            if input.end >= attemptAt { try advance() }
        }
    }

    /// Ends the body.
    ///
    /// - Throws: also when it ended too soon or lacks something.
    public mutating func finish() throws(ScanError) -> ScannedBatch {
        try advance()
        guard state == .end else { throw .truncated(offset: inputOffset + input.end) }
        guard envelope.isGiven else { throw .envelope(.metadataMissing) }
        guard hasData else { throw .envelope(.dataMissing) }
        if isKeyPending {
            gps.tuples.stamp(key: envelope.key.value)
            vital.tuples.stamp(key: envelope.key.value)
            event.tuples.stamp(key: envelope.key.value)
        }
        let parcel = Parcel(
            deviceID: envelope.deviceID, key: envelope.key, attributes: envelope.attributes,
            gps: gps.take(), vital: vital.take(), event: event.take())
        parcel.quarantined = quarantined
        // Readings may name the envelope's own device before the envelope does.
        if let index = overridingIndex[envelope.key] {
            parcel.append(overriding.remove(at: index))
        }
        return ScannedBatch(
            received: received, quarantined: quarantined.count,
            problems: quarantined.prefix(ScannedBatch.problemsMax).map {
                Problem(index: $0.index, reason: $0.reason)
            },
            parcels: overriding.isEmpty ? [parcel] : [parcel] + overriding)
    }
}

extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
