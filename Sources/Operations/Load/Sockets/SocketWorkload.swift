public import Fleet

/// What WebSockets say, and what becomes of the answers. Called on the generator's thread only.
public protocol SocketWorkload: AnyObject {
    /// What is asked for when the socket is opened, for example `/ws/ios/anna`.
    func path(of socket: Int) -> String
    /// Appends the next text that the socket sends; false when there is nothing more.
    func next(of socket: Int, into text: inout ByteWriter) -> Bool
    /// What a text means that came in; answers come in the order in which they were asked for.
    func received(_ text: UnsafeRawBufferPointer, on socket: Int) -> SocketNews
}

/// What a text from the server is.
public enum SocketNews: Sendable, Equatable {
    /// The oldest text under way is done.
    case acknowledged
    /// The oldest text under way was refused.
    case refused
    /// Told without being asked.
    case unasked
}
