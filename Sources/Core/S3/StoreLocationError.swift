/// A fault in the text of a ``StoreLocation``.
public enum StoreLocationError: Error, Equatable, Sendable {
    /// Neither `file:` nor `s3:`.
    case schemeUnknown
    /// `file:` without an absolute path.
    case pathNotAbsolute
    /// Not 3 to 63 lower-case letters, digits, hyphens and dots; or it begins or ends with a dot,
    /// or has two in a row.
    case bucketInvalid
    /// A prefix with other characters than letters, digits, `-`, `.`, `_`, `~` and slashes, with a
    /// component `.` or `..`, or of more than 512 bytes.
    case prefixInvalid
    /// Not `http://` or `https://` and a host; or with a path, a query or a user.
    case endpointInvalid
    /// Not lower-case letters, digits and hyphens.
    case regionInvalid
    /// A parameter other than `endpoint` and `region`, or a repeated one.
    case parameterUnknown
}
