import NIOCore

/// The content of a close frame.
struct SocketClose: Equatable, Sendable {
    /// nil: no code, as in the answer to a client's close frame without a code.
    var code: UInt16?
    var reason = ""

    /// Payload of a control frame, less the code.
    static let reasonBytesMax = 123

    init(_ code: SocketCloseCode, _ reason: String = "") {
        self.code = code.rawValue
        self.reason = reason
    }

    init(echoing code: UInt16?) {
        self.code = code
    }

    /// Writes the payload; a reason that is too long is cut between characters.
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
