import NIOCore
import NIOWebSocket

/// One frame from a client, reduced to what the protocol rules need.
struct SocketFrame {
    enum Kind: Equatable, Sendable { case continuation, text, binary, close, ping, pong, unknown }

    var kind: Kind
    var isFinal: Bool
    var hasReservedBits = false
    var isMasked = true
    /// The payload, unmasked.
    var payload: ByteBuffer

    init(_ kind: Kind, isFinal: Bool = true, payload: ByteBuffer) {
        self.kind = kind
        self.isFinal = isFinal
        self.payload = payload
    }

    init(_ frame: WebSocketFrame) {
        self.init(Kind(frame.opcode), isFinal: frame.fin, payload: frame.unmaskedData)
        hasReservedBits = frame.rsv1 || frame.rsv2 || frame.rsv3
        isMasked = frame.maskKey != nil
    }
}

extension SocketFrame.Kind {
    init(_ opcode: WebSocketOpcode) {
        switch opcode {
        case .continuation: self = .continuation
        case .text: self = .text
        case .binary: self = .binary
        case .connectionClose: self = .close
        case .ping: self = .ping
        case .pong: self = .pong
        default: self = .unknown
        }
    }
}
