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
    var fastLimits: FastLimits

    var rows = ByKind<KindRows> { _ in KindRows() }
    /// The fields of a reading from the complete path.
    var plainFields: [UInt8] = []
    var isKeyPending = true
    var deviceKey: Int64 = 0
    var overriding: [Parcel] = []
    /// By key, not by id: Swift strings that compare equal may differ in their bytes.
    var overridingIndex: [DeviceKey: Int] = [:]
    var quarantined: [QuarantinedReading] = []

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

    /// Starts a batch and discards the previous one.
    ///
    /// - Parameters:
    ///   - now: the server's clock, to find times that are too old or in the future.
    ///   - expectedBytes: size of the body if it is known; sizes the first buffers.
    public mutating func begin(now: Timestamp, expectedBytes: Int = .max) {
        input.removeAll()
        input.shrink(to: Self.keptBytes)
        inputOffset = 0
        position = 0
        attemptAt = 1
        attemptedBytes = 0
        state = .start
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
        guard state == .end else { throw .truncated(offset: inputOffset + input.end) }
        guard let sender = sender.take() else { throw .envelope(.metadataMissing) }
        guard hasData else { throw .envelope(.dataMissing) }
        if isKeyPending {
            for kind in ReadingKind.allCases { rows[kind].tuples.stamp(key: sender.key.value) }
        }
        let parcel =
            rows.tupleBytes <= TupleSlab.bytesMax
            ? Parcel(sender: sender, copying: rows)
            : Parcel(sender: sender, rows: ByKind<KindRows> { rows[$0].take() })
        // Readings may name the envelope's device before the envelope is read.
        if !overriding.isEmpty, let index = overridingIndex[sender.key] {
            parcel.append(overriding.remove(at: index))
        }
        var problems: [Problem] = []
        if !quarantined.isEmpty {
            parcel.quarantined = quarantined
            problems = quarantined.prefix(ScannedBatch.problemsMax).map {
                Problem(index: $0.index, reason: $0.reason)
            }
        }
        return ScannedBatch(
            received: received, quarantined: quarantined.count, problems: problems,
            parcels: ParcelList(first: parcel, others: overriding.isEmpty ? [] : overriding))
    }
}

extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

/// A whole batch, scanned. Of the body only the rows and the quarantined readings are retained.
public struct ScannedBatch: Sendable {
    /// Elements of `data`.
    public let received: Int
    /// All quarantined elements, not only those in ``problems``.
    public let quarantined: Int
    /// The first 100 quarantined elements, in order.
    public let problems: [Problem]
    /// The envelope's device first (even without rows), then overriding devices in the order of
    /// their first valid reading.
    public let parcels: ParcelList

    /// The most problems that an answer names.
    public static let problemsMax = 100

    /// Memory it holds.
    public var memory: Int { parcels.reduce(0) { $0 + $1.memory } }
}

/// One line of the answer's `problems`.
public struct Problem: Equatable, Sendable {
    /// Index in the batch's `data`, from 0.
    public let index: Int
    /// The first rule the reading broke.
    public let reason: QuarantineReason

    /// One line.
    public init(index: Int, reason: QuarantineReason) {
        self.index = index
        self.reason = reason
    }
}

/// Why a whole batch is rejected. Nothing of it is stored.
///
/// Offsets count bytes from the start of the (decoded) body. The first fault in byte order is
/// reported; missing parts are found at the end only.
public enum ScanError: Error, Equatable, Sendable {
    /// Not JSON: this byte is not allowed here.
    case unexpectedByte(UInt8, offset: Int)
    /// The body ended inside the JSON document; `offset` is its length.
    case truncated(offset: Int)
    case invalidUTF8(offset: Int)
    /// Objects and arrays are nested deeper than the parser follows.
    case nestedTooDeep(offset: Int)
    /// JSON, but not a batch.
    case envelope(EnvelopeFault)
}

/// The envelope's fault: where it is, and what was expected there.
public enum EnvelopeFault: Error, Equatable, Sendable {
    /// The body is JSON but not an object.
    case bodyNotObject
    case metadataMissing
    case metadataNotObject
    case metadataTooLarge(bytesMax: Int)
    case deviceIDMissing
    /// `field` is the key inside `metadata`.
    case notString(field: String)
    case empty(field: String)
    case tooLong(field: String, charactersMax: Int)
    /// NUL or an unpaired surrogate: PostgreSQL's text can't hold it.
    case notText(field: String)
    case dataMissing
    case dataNotArray
    case elementNotObject(index: Int)
    /// `metadata`, `data` or a key of `metadata` is repeated: one of the values would be lost.
    case duplicateKey(field: String)
    case tooManyInvalid(max: Int)
}
