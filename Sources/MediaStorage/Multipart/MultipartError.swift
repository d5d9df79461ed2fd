/// Why a body is no readable `multipart/form-data`. Offsets count bytes from the body's start.
public enum MultipartError: Error, Equatable, Sendable {
    /// The content type is another one.
    case notFormData
    /// `multipart/form-data` without a `boundary` parameter.
    case boundaryMissing
    /// Not 1 to 70 of the characters that RFC 2046 allows, or a space at its end.
    case boundaryInvalid
    /// The body ended before the closing boundary; `offset` is its length.
    case truncated(offset: Int)
    /// A boundary followed by something other than `--`, or spaces and the line's end.
    case boundaryLineInvalid(offset: Int)
    /// A header line that is none, or one with a control character.
    case headerInvalid(offset: Int)
    /// The part that begins at `offset` has more header bytes than this.
    case headerTooLarge(offset: Int, limit: Int)
    /// The part that begins at `offset` has more header fields than this.
    case headerFieldsTooMany(offset: Int, limit: Int)
    /// The part that begins at `offset` has no `Content-Disposition: form-data` with a name.
    case nameMissing(offset: Int)
    /// The part that begins at `offset` is encoded, which RFC 7578 gave up.
    case transferEncodingUnsupported(offset: Int)
    /// One part more than this; it begins at `offset`.
    case partsTooMany(offset: Int, limit: Int)
}
