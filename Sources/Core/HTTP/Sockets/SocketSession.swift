public import Ingest
public import NIOCore

/// The conversation of one socket. Belongs to its event loop; an idle session holds no timer and no
/// task.
public protocol SocketSession: AnyObject {
    /// A message: valid UTF-8, within the limits. Not called while too many units are unanswered.
    func received(_ text: ByteBuffer)

    /// The outcome of the unit that was offered under this tag.
    func settled(_ tag: UInt64, _ outcome: UnitOutcome)

    /// A notice for this user's sockets of this topic.
    func noticed(_ text: String)

    /// The client has all messages up to those for which ``OpenSocket/wantConfirmation()`` returned
    /// this number.
    func confirmed(_ number: UInt64)

    /// Called about once a second.
    func tick(now: NIODeadline)

    /// The socket is gone, or nothing more will be sent. Offered units are still processed, but
    /// their outcomes are not reported.
    func closed()
}
