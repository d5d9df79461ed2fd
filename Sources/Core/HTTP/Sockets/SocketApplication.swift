public import Auth
import Ingest
import NIOCore

/// A protocol over some of the server's WebSockets: its paths, who may connect, and what happens
/// then. Its ``routes`` belong into the ``RouteGroup`` of its system.
///
/// There is one object per process; it makes a ``SocketSession`` for each socket.
public protocol SocketApplication: Sendable {
    /// Notices of this topic go to its sockets.
    var topic: String { get }

    /// Whether a socket without a message for ``SocketConfiguration/idleTimeout`` is closed.
    /// Otherwise it stays open while its client answers pings.
    var endsIdleSockets: Bool { get }

    /// Its paths (``Route/socket(_:label:_:_:)``).
    var routes: [Route] { get }

    /// Decides who may connect. Called before the upgrade is answered.
    ///
    /// - Parameter credentials: the token may be a bearer token, an API key, or from `?token=`.
    func admit(_ route: SocketRoute, _ credentials: Credentials) async -> SocketAdmission

    /// The message for a client whose credentials are missing or not valid. Its socket is opened,
    /// if it is not open yet, for this message and a close with 1008.
    ///
    /// - Returns: nil if the upgrade is refused with a 401, and an open socket is only closed.
    func authenticationError() -> String?

    /// Starts the session of an open socket. Called on the socket's event loop, like everything of
    /// the session.
    func open(_ socket: any OpenSocket) -> any SocketSession
}

extension SocketApplication {
    /// A 401.
    public func authenticationError() -> String? { nil }
}
