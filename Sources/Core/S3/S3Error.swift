/// Why a bucket's server did not carry out a request.
public enum S3Error: Error, Equatable, Sendable {
    /// The bucket or the quota is full.
    case full
    /// The server refused the request, with its own error code (`NoSuchBucket`, `AccessDenied`), which
    /// may be empty.
    case refused(status: Int, code: String)
    /// The server gave no usable answer in this many attempts.
    case unavailable(attempts: Int)

    /// Whether an object was there that was not to be overwritten.
    public var isPreconditionFailed: Bool {
        switch self {
        case .refused(status: 412, _), .refused(status: 409, code: "ConditionalRequestConflict"):
            true
        default: false
        }
    }
}

extension S3Error: CustomStringConvertible {
    /// For a log and for people.
    public var description: String {
        switch self {
        case .full: "the bucket is full"
        case .refused(let status, let code):
            "the server refused the request with status \(status)"
                + (code.isEmpty ? "" : ", \(code)")
        case .unavailable(let attempts):
            "the server gave no usable answer in \(attempts) attempts"
        }
    }
}
