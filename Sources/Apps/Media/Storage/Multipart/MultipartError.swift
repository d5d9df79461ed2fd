/// Why a body is not valid `multipart/form-data`. Offsets count bytes from the body's start.
public enum MultipartError: Error, Equatable, Sendable {
    /// The request has another content type.
    case notFormData
    /// `multipart/form-data` without a `boundary` parameter.
    case boundaryMissing
    /// Not 1 to 70 characters that RFC 2046 allows, or with a space at the end.
    case boundaryInvalid
    /// The body ended before the closing boundary; `offset` is its length.
    case truncated(offset: Int)
    /// A boundary followed by something other than `--`, or spaces and the line's end.
    case boundaryLineInvalid(offset: Int)
    /// An invalid header line, or one with a control character.
    case headerInvalid(offset: Int)
    /// The part that begins at `offset` has more header bytes than this.
    case headerTooLarge(offset: Int, limit: Int)
    /// The part that begins at `offset` has more header fields than this.
    case headerFieldsTooMany(offset: Int, limit: Int)
    /// The part that begins at `offset` has no `Content-Disposition: form-data` with a name.
    case nameMissing(offset: Int)
    /// The part that begins at `offset` has a transfer encoding, which RFC 7578 deprecates.
    case transferEncodingUnsupported(offset: Int)
    /// The body has more parts than this; the first one too many begins at `offset`.
    case partsTooMany(offset: Int, limit: Int)
}
