/// The number of WebSockets, and the duration of a run.
public struct SocketPlan: Sendable {
    /// The server; plain HTTP.
    public var target: Target
    /// Head lines of the handshake, each ending in CR LF.
    public var headLines = ""
    /// WebSockets, all open at once.
    public var sockets = 1000
    /// Pending texts per socket.
    public var outstanding = 1
    /// No new text is sent after this.
    public var durationNanoseconds: UInt64 = 5_000_000_000
    /// How long to wait for answers after that.
    public var answerNanosecondsMax: UInt64 = 15_000_000_000
    /// Pending handshakes: fewer than a listener's backlog.
    public var openedAtOnce = 64
    /// Seeds the masks.
    public var seed: UInt64 = 1

    /// 1000 sockets for five seconds.
    public init(target: Target) {
        self.target = target
    }
}
