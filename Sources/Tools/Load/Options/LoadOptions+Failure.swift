import Glibc
public import OperatorErrors

extension LoadOptions.Failure: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .distrusted(let reason): "the server's certificate is not trusted: \(reason)"
        case .noAnswer(let refused):
            refused > 0
                ? "nobody answered; \(refused) connections were refused" : "nobody answered"
        case .fileUnwritable(let path): "\(path): can't be written"
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .distrusted:
            "give its authority with --ca-file, or accept any certificate with --insecure"
        case .noAnswer(let refused): refused > 0 ? "is a server running?" : nil
        case .fileUnwritable: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .distrusted: EX_PROTOCOL
        case .noAnswer: EX_UNAVAILABLE
        case .fileUnwritable: EX_CANTCREAT
        }
    }
}
