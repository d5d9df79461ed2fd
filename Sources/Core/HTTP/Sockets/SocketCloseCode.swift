import NIOCore

/// Why a socket is closed (RFC 6455, section 7.4, and its registry).
public enum SocketCloseCode: UInt16, Sendable, CaseIterable {
    /// The conversation is complete.
    case normal = 1000
    /// The server stops.
    case goingAway = 1001
    /// The bytes received violate the protocol.
    case protocolError = 1002
    /// Binary where only text is allowed.
    case unacceptable = 1003
    /// A message or a close reason that is not UTF-8.
    case invalidText = 1007
    /// A limit was exceeded, or the credentials are no longer valid.
    case policyViolation = 1008
    /// A message that is too large.
    case tooLarge = 1009
    /// A fault of the server.
    case internalError = 1011
    /// The server is overloaded, or the client is too slow.
    case tryAgainLater = 1013

    /// Whether a client may send this code (RFC 6455, section 7.4.2): it is registered and may be
    /// sent, or it is in the ranges for libraries and applications.
    static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
