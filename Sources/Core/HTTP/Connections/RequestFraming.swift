/// The part of a head that decides how the connection continues after the request.
struct RequestFraming: Equatable, Sendable {
    /// The client wants to keep the connection; also false if the protocol requires its end.
    var keepAlive: Bool
    /// The client waits for `100 Continue` before it sends its body.
    var expectsContinue: Bool
    /// Bytes of the body as sent; nil if it is chunked, of unknown length.
    var declaredBytes: Int?
}
