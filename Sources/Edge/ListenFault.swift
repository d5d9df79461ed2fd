import NIOCore

/// Why nothing can listen on an address.
public enum ListenFault: Error, Equatable, Sendable {
    /// The system refuses: in use, not of this machine, not allowed.
    case refused(errno: Int32)
    /// The name has no address.
    case hostUnknown
    /// Anything else, in the library's words.
    case other(String)

    /// What a server's run ended with when it could not begin.
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
