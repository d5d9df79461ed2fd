import NIOCore

/// The state of the quick path of one connection.
struct FastPath {
    /// Received bytes that are not processed yet: part of a head, or requests that wait for the
    /// answer to the previous one.
    var bytes: ByteBuffer?
    /// Of the present request; nil between requests and while an answer is pending.
    var bodyBytesLeft: Int?
    /// The client has closed its sending side, after the last of ``bytes``.
    var isInputClosed = false
    var isTaking = false

    mutating func append(_ buffer: ByteBuffer) {
        var buffer = buffer
        if bytes?.writeBuffer(&buffer) == nil { bytes = buffer }
    }
}
