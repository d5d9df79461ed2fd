/// The envelope's fault: where it is, and what was expected there.
public enum EnvelopeFault: Error, Equatable, Sendable {
    /// The body is JSON but neither an object nor an array.
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
    /// The same of a body that is an array of readings.
    case bareElementNotObject(index: Int)
    /// `metadata`, `data` or a key of `metadata` is repeated: one of the values would be lost.
    case duplicateKey(field: String)
    case tooManyInvalid(max: Int)
}
