/// A unit that a socket has offered to the lanes and heard nothing of yet.
struct SocketTicket {
    /// Who waits; nil when the socket is gone.
    var handler: SocketHandler?
    /// What the session calls it.
    let tag: UInt64
}
