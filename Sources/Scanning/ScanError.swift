/// Why a whole batch is refused. Nothing of it is stored.
///
/// Offsets count bytes from the start of the (decoded) body. The first fault in the order of the
/// bytes decides; what is missing is only known at the end.
public enum ScanError: Error, Equatable, Sendable {
    /// Not JSON: this byte can't stand here.
    case unexpectedByte(UInt8, offset: Int)
    /// The body ended inside the JSON document; `offset` is its length.
    case truncated(offset: Int)
    case invalidUTF8(offset: Int)
    /// Objects and arrays inside each other beyond what is followed at all.
    case nestedTooDeep(offset: Int)
    /// JSON, but not a batch.
    case envelope(EnvelopeFault)
}

/// What is wrong with the envelope: where, and what was expected there.
public enum EnvelopeFault: Error, Equatable, Sendable {
    /// The body is JSON but no object.
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
    /// `metadata`, `data` or a key of `metadata` stands twice: one of the two would be lost.
    case duplicateKey(field: String)
    case tooManyInvalid(max: Int)
}
