/// Why a socket is closed (RFC 6455, section 7.4, and its registry).
public enum SocketCloseCode: UInt16, Sendable, CaseIterable {
    /// All has been said.
    case normal = 1000
    /// The server stops.
    case goingAway = 1001
    /// What came is not WebSocket.
    case protocolError = 1002
    /// Binary, where text is spoken.
    case unacceptable = 1003
    /// A message that is no UTF-8, or a reason.
    case invalidText = 1007
    /// Too many of something.
    case policyViolation = 1008
    /// A message that is too large.
    case tooLarge = 1009
    /// The server is to blame.
    case internalError = 1011
    /// Too much to do now.
    case tryAgainLater = 1013

    /// Whether a client may send this code (RFC 6455, section 7.4.2): registered, not one that must
    /// not be sent, or from the ranges for libraries and applications.
    static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
