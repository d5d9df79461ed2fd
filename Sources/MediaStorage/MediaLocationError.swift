/// What is wrong with a `MEDIA_STORE`.
public enum MediaLocationError: Error, Equatable, Sendable {
    /// Neither `file:` nor `s3:`.
    case schemeUnknown
    /// `file:` without a path from the root.
    case pathNotAbsolute
    /// Not 3 to 63 small letters, digits, hyphens and dots.
    case bucketInvalid
    /// A prefix with characters that S3 advises against.
    case prefixInvalid
    /// Not `http://` or `https://` and a host, or with a path, a query or a user.
    case endpointInvalid
    /// Not small letters, digits and hyphens.
    case regionInvalid
    /// A parameter other than `endpoint` and `region`, or one of them twice.
    case parameterUnknown
}
