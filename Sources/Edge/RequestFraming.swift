/// What of a request decides how its connection goes on after it.
struct RequestFraming: Equatable, Sendable {
    /// The client would like to go on; false also where the protocol leaves no choice.
    var keepAlive: Bool
    /// The client waits for a word before it sends its body.
    var expectsContinue: Bool
    /// Bytes of the body as sent; nil when they come in chunks of unknown number.
    var declaredBytes: Int?
}
