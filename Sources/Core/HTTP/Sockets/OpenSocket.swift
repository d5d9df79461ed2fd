import Auth
public import Ingest
public import NIOCore

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
    /// - Parameter written: called once the kernel has taken all of it; never if that fails. The
    ///   client need not have it: see ``wantConfirmation()``.
    func send(_ text: String, written: (() -> Void)?)

    /// Sends messages that were queued outside of the session's own calls, for example after a
    /// query.
    func flush()

    /// Asks the client, by a ping, to confirm the messages queued so far.
    ///
    /// - Returns: a number that rises. ``SocketSession/confirmed(_:)`` with it, or with a higher
    ///   one, says that the client has them; never if the socket ends before.
    func wantConfirmation() -> UInt64

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
