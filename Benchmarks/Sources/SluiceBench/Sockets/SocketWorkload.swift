/// The texts of WebSockets, and the handling of answers. Called on the generator's thread only.
protocol SocketWorkload: AnyObject {
    /// The path of the socket's handshake, for example `/ws/ios/anna`.
    func path(of socket: Int) -> String
    /// The socket's next text; nil if there are no more.
    func next(of socket: Int) -> String?
    /// Classifies a received text. Answers arrive in the order of the texts.
    func received(_ text: UnsafeRawBufferPointer, on socket: Int) -> SocketNews
}

/// The meaning of a text from the server.
enum SocketNews {
    /// The oldest pending text was acknowledged.
    case acknowledged
    /// The oldest pending text was rejected.
    case refused
    /// Not an answer.
    case unasked
}
