import Glibc
public import OperatorErrors

extension UserDirectory.Fault: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .pathInUse(let path): "\(path): must not exist, or be an empty directory"
        case .unknown(let user): "nothing is stored of user \"\(user)\""
        case .failed(let path, let operation, let errno):
            "\(path): \(operation): \(String(cString: strerror(errno)))"
        case .interrupted: "stopped; no directory was made"
        }
    }

    /// The exit status of a program that SIGINT ends, if it was interrupted.
    public var exitCode: Int32 {
        switch self {
        case .pathInUse: EX_CANTCREAT
        case .unknown: EX_DATAERR
        case .failed(_, let operation, _): operation == "create" ? EX_CANTCREAT : EX_IOERR
        case .interrupted: 128 + SIGINT
        }
    }
}
