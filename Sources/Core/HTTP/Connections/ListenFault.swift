import Files
import Glibc
import NIOCore
import NIOPosix
public import OperatorErrors

/// Why the server can't listen on an address.
public enum ListenFault: Error, Equatable, Sendable {
    /// The system refuses the address: in use, not of this machine, or not allowed.
    case refused(errno: Int32)
    /// The host name has no address.
    case hostUnknown
    /// Any other error, as the library describes it.
    case other(String)

    /// Classifies the error with which ``HTTPListener/run()`` ended.
    public init(_ error: any Error) {
        if let error = error as? IOError {
            self = .refused(errno: error.errnoCode)
        } else if error is SocketAddressError.UnknownHost {
            self = .hostUnknown
        } else {
            self = .other("\(error)")
        }
    }
}

extension ListenFault: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .refused(EADDRINUSE): "another program uses that port"
        case .refused(EADDRNOTAVAIL): "that is no address of this machine"
        case .refused(EACCES): "\(DirectoryUnusable.userName) may not use that port"
        case .refused(let code): String(cString: strerror(code))
        case .hostUnknown: "the host name has no address"
        case .other(let words): words
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .refused(EADDRINUSE):
            "choose another with --port or SLUICE_PORT, or 0 for any free port"
        case .refused(EADDRNOTAVAIL), .hostUnknown: "choose another with --host or SLUICE_HOST"
        case .refused(EACCES): "choose one above 1023 with --port or SLUICE_PORT"
        case .refused, .other: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 { EX_UNAVAILABLE }
}
