import Synchronization

/// A unit that a socket has offered to the lanes and that has no outcome yet.
struct SocketTicket {
    /// The socket to answer; nil if it is gone.
    var handler: SocketHandler?
    /// Identifies the unit to the session.
    let tag: UInt64
}
