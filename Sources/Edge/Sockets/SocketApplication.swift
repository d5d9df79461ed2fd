public import Access
public import Ingestion
public import NIOCore

/// What is spoken over some of the server's WebSockets: which paths they have, who may connect, and
/// what happens then.
///
/// One object for the process; it makes a ``SocketSession`` for each socket.
public protocol SocketApplication: Sendable {
    /// Notices of this topic go to its sockets.
    var topic: String { get }

    /// A socket on which nothing is said for ``SocketConfiguration/idleTimeout`` is closed; else it
    /// stays for as long as its client answers pings.
    var endsIdleSockets: Bool { get }

    /// Called for every upgrade and, since such a path answers nothing else, for every request that
    /// the router would have to answer: it must be cheap.
    ///
    /// - Parameter path: parts of the path between its slashes, percent-decoded.
    /// - Returns: nil when the path is not one of this application's.
    func match(path: [String]) -> SocketRoute?

    /// Decides who may connect. Asked before the upgrade is answered.
    ///
    /// - Parameter credentials: the token may be a bearer token, an API key, or of `?token=`.
    func admit(_ route: SocketRoute, _ credentials: Credentials) async -> SocketAdmission

    /// A socket is open. Called on its event loop, and so is everything of the session.
    func open(_ socket: any OpenSocket) -> any SocketSession
}

/// Where a client wants to connect, as far as the path says it.
public struct SocketRoute: Sendable, Equatable {
    /// Whose socket it is to be; nil where only the token can tell.
    public var user: String?
    /// What the path names besides, such as a consultation.
    public var subject: String?
    /// The query's `user_id`, for callers who may act for any user where the path names none.
    public var namedUser: String?

    /// - Parameters:
    ///   - user: nil where only the token can tell.
    ///   - subject: what the path names besides.
    public init(user: String?, subject: String? = nil) {
        self.user = user
        self.subject = subject
    }
}

/// What an application has decided about an upgrade.
public enum SocketAdmission: Sendable {
    /// Come in, as this user, for as long as the pass holds.
    case admitted(user: String, pass: SocketPass = .endless)
    /// 401.
    case unauthorized
    /// 403.
    case forbidden
    /// 403: a browser's page of another site asks where nobody has to show anything.
    case otherSite
    /// 404: there is nothing of that name.
    case unknown
    /// 400: whoever asks may act for any user, and neither path nor query names one.
    case userMissing
    /// 503: it can't be told before the database is back.
    case unavailable
}

/// One socket as its session sees it. It outlives the session; after it has closed, whatever is
/// asked of it is ignored. To be used on its event loop only.
public protocol OpenSocket: AnyObject {
    /// Where everything of it happens.
    var eventLoop: any EventLoop { get }
    /// Whom it was opened for.
    var user: String { get }
    /// Where it was opened.
    var route: SocketRoute { get }

    /// Sends a message, at the latest when the loop has nothing else to do for this socket or at
    /// ``flush()``. A client that leaves too much unread is closed with 1013 instead.
    ///
    /// - Parameter written: called once the kernel has all of it; never when that fails.
    func send(_ text: String, written: (() -> Void)?)

    /// Sends what was written outside of the session's own calls, such as when a query has ended.
    func flush()

    /// Gives a unit to the lanes. Unless it is refused here, its outcome comes to
    /// ``SocketSession/settled(_:_:)``, once, while the socket is open.
    ///
    /// - Parameter tag: names it to the session.
    func offer(_ unit: WorkUnit, tag: UInt64) -> Offer

    /// Says goodbye.
    func close(_ code: SocketCloseCode, reason: String)
}

extension OpenSocket {
    /// Sends a message without asking what becomes of it.
    public func send(_ text: String) {
        send(text, written: nil)
    }
}

/// One socket's conversation. Belongs to its event loop; holds no timer and no task while it is
/// idle.
public protocol SocketSession: AnyObject {
    /// A message: valid UTF-8, within the limits. Not called while too many units are unanswered.
    func received(_ text: ByteBuffer)

    /// The outcome of a unit that was offered under this tag.
    func settled(_ tag: UInt64, _ outcome: CommitOutcome)

    /// Somebody has something to say to this user's sockets of this topic.
    func noticed(_ text: String)

    /// Called about once a second.
    func tick(now: NIODeadline)

    /// The socket is gone, or no more will be sent. Units that were offered go their way; nobody
    /// will be told.
    func closed()
}
