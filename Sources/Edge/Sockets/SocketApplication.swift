public import Access
public import Ingestion
public import NIOCore

/// A protocol over some of the server's WebSockets: its paths, who may connect, and what happens
/// then.
///
/// There is one object per process; it makes a ``SocketSession`` for each socket.
public protocol SocketApplication: Sendable {
    /// Notices of this topic go to its sockets.
    var topic: String { get }

    /// Whether a socket without a message for ``SocketConfiguration/idleTimeout`` is closed.
    /// Otherwise it stays open while its client answers pings.
    var endsIdleSockets: Bool { get }

    /// Finds the route of a path. It must be cheap: it is called for every upgrade, and also for
    /// every request to the router, because such a path answers nothing else.
    ///
    /// - Parameter path: the segments of the path, percent-decoded.
    /// - Returns: nil if the path is not one of this application's.
    func match(path: [String]) -> SocketRoute?

    /// Decides who may connect. Called before the upgrade is answered.
    ///
    /// - Parameter credentials: the token may be a bearer token, an API key, or from `?token=`.
    func admit(_ route: SocketRoute, _ credentials: Credentials) async -> SocketAdmission

    /// Starts the session of an open socket. Called on the socket's event loop, like everything of
    /// the session.
    func open(_ socket: any OpenSocket) -> any SocketSession
}

/// Where a client wants to connect, according to the path.
public struct SocketRoute: Sendable, Equatable {
    /// The user of the socket; nil if only the token can tell.
    public var user: String?
    /// A further name in the path, such as a consultation.
    public var subject: String?
    /// The query's `user_id`, for callers who may act for any user, if the path names none.
    public var namedUser: String?

    /// - Parameters:
    ///   - user: nil if only the token can tell.
    ///   - subject: a further name in the path.
    public init(user: String?, subject: String? = nil) {
        self.user = user
        self.subject = subject
    }
}

/// An application's decision about an upgrade.
public enum SocketAdmission: Sendable {
    /// Admitted as this user, while the pass holds.
    case admitted(user: String, pass: SocketPass = .endless)
    /// 401.
    case unauthorized
    /// 403.
    case forbidden
    /// 403: a browser's page of another site, where no credentials are required.
    case otherSite
    /// 404: the path names something that does not exist.
    case unknown
    /// 400: the caller may act for any user, and neither path nor query names one.
    case userMissing
    /// 503: the decision needs the database, which is unreachable.
    case unavailable
}

/// One socket as its session sees it. It outlives the session; calls after it has closed are
/// ignored. To be used on its event loop only.
public protocol OpenSocket: AnyObject {
    /// The event loop of the socket and its session.
    var eventLoop: any EventLoop { get }
    /// The user for whom it was opened.
    var user: String { get }
    /// The route on which it was opened.
    var route: SocketRoute { get }

    /// Queues a message. It is sent at ``flush()``, or at the latest when the loop has nothing else
    /// to do for this socket. If the client has left too much unread, the socket is closed with
    /// 1013 instead.
    ///
    /// - Parameter written: called once the kernel has taken all of it; never if that fails.
    func send(_ text: String, written: (() -> Void)?)

    /// Sends messages that were queued outside of the session's own calls, for example after a
    /// query.
    func flush()

    /// Offers a unit to the lanes. Unless it is refused here, its outcome is passed to
    /// ``SocketSession/settled(_:_:)``, once, while the socket is open.
    ///
    /// - Parameter tag: identifies the unit to the session.
    func offer(_ unit: WorkUnit, tag: UInt64) -> Offer

    /// Closes the socket with a close frame.
    func close(_ code: SocketCloseCode, reason: String)
}

extension OpenSocket {
    /// Queues a message without a callback.
    public func send(_ text: String) {
        send(text, written: nil)
    }
}

/// The conversation of one socket. Belongs to its event loop; an idle session holds no timer and no
/// task.
public protocol SocketSession: AnyObject {
    /// A message: valid UTF-8, within the limits. Not called while too many units are unanswered.
    func received(_ text: ByteBuffer)

    /// The outcome of the unit that was offered under this tag.
    func settled(_ tag: UInt64, _ outcome: CommitOutcome)

    /// A notice for this user's sockets of this topic.
    func noticed(_ text: String)

    /// Called about once a second.
    func tick(now: NIODeadline)

    /// The socket is gone, or nothing more will be sent. Offered units are still processed, but
    /// their outcomes are not reported.
    func closed()
}
