import NIOCore

/// What a close frame says.
struct SocketClose: Equatable, Sendable {
    /// nil: nothing, which is how a client is answered that has said nothing.
    var code: UInt16?
    var reason = ""

    /// Of a control frame, less the code.
    static let reasonBytesMax = 123

    init(_ code: SocketCloseCode, _ reason: String = "") {
        self.code = code.rawValue
        self.reason = reason
    }

    init(echoing code: UInt16?) {
        self.code = code
    }

    /// The payload; a reason that is too long is cut between characters.
    func write(to bytes: inout ByteBuffer) {
        guard let code else { return }
        bytes.writeInteger(code)
        var left = Self.reasonBytesMax
        for scalar in reason.unicodeScalars {
            let text = String(scalar)
            left -= text.utf8.count
            guard left >= 0 else { return }
            bytes.writeString(text)
        }
    }
}

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
