import NIOCore

/// How the head of a response says whether the connection continues.
enum ConnectionHeader {
    /// HTTP/1.1: the connection continues and no field is needed.
    case none
    /// HTTP/1.0: the client asked to keep the connection.
    case keepAlive
    case close

    /// The bytes from the end of the last field to the end of the head.
    var lines: StaticString {
        switch self {
        case .none: "\r\n\r\n"
        case .keepAlive: "\r\nconnection: keep-alive\r\n\r\n"
        case .close: "\r\nconnection: close\r\n\r\n"
        }
    }
}
