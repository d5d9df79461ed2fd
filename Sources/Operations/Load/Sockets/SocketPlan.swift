/// How many WebSockets, and for how long.
public struct SocketPlan: Sendable {
    /// Where; plain HTTP.
    public var target: Target
    /// Head lines of the handshake, each ending in CR LF.
    public var headLines = ""
    /// WebSockets, all open at once.
    public var sockets = 1000
    /// Texts under way on each.
    public var outstanding = 1
    /// Nothing new is sent after this.
    public var durationNanoseconds: UInt64 = 5_000_000_000
    /// How long to wait for answers after that.
    public var answerNanosecondsMax: UInt64 = 15_000_000_000
    /// Handshakes under way at once: fewer than a listener's backlog.
    public var openedAtOnce = 64
    /// For the masks.
    public var seed: UInt64 = 1

    /// Of 1000 sockets for five seconds.
    public init(target: Target) {
        self.target = target
    }
}
