/// How many WebSockets, and for how long.
package struct SocketPlan: Sendable {
    package var target: Target
    /// Head lines of the handshake, each ending in CR LF.
    package var headLines = ""
    package var sockets = 1000
    /// Texts under way on each.
    package var outstanding = 1
    /// Nothing new is sent after this.
    package var durationNanoseconds: UInt64 = 5_000_000_000
    /// How long to wait for answers after that.
    package var answerNanosecondsMax: UInt64 = 15_000_000_000
    /// Handshakes under way at once: fewer than a listener's backlog.
    package var openedAtOnce = 64
    /// For the masks.
    package var seed: UInt64 = 1

    package init(target: Target) {
        self.target = target
    }
}
