/// What `sluice top` knows at one moment.
public struct TopState: Equatable, Sendable {
    /// How the connection is.
    public enum Link: Equatable, Sendable {
        /// Not yet there.
        case connecting
        /// Reports come.
        case live
        /// It was there; now it is tried again. With what happened, in a few words.
        case lost(secondsAgo: Int, why: String)
    }

    /// Without credentials.
    public var url: String
    /// How the connection is.
    public var link: Link
    /// The newest one; nil before the first.
    public var report: StatusReport?
    /// At the right of the first line, if there is room.
    public var hint = ""
    /// Since another process answers at that URL; nil: it is the one of the beginning.
    public var restartedSecondsAgo: Int?

    /// Nothing has come yet.
    public init(url: String) {
        self.url = url
        link = .connecting
    }
}
