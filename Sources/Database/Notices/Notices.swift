/// News for connected clients, from any node to the sockets on all nodes.
///
/// **A notice is a row** of `sluice.notice`, inserted by the transaction that makes it true
/// (`sluice.post_notice`), which also notifies `sluice_notice`. The notification has no payload: it
/// only says that the table has changed.
///
/// **Each node's ``NoticeBoard``** has its own session that listens, reads the table, and delivers
/// each new notice to its subscribers once. Ids become visible out of order, so they can't tell
/// what is new. Instead each look takes PostgreSQL's snapshot, which says which transactions were
/// finished. At the next look the new notices are those of the other transactions, which were open
/// or had not begun. So no window of time is read twice, and a transaction that stays open for an
/// hour costs one index look-up a look.
///
/// **A lost session** loses nothing: the next one looks with the old snapshot. Only a node that is
/// cut off for longer than rows are kept (an hour) misses some. A look that fails half-way is
/// repeated without the notices that it has delivered.
///
/// **A start** delivers what was posted since the board was made, so that clients who connected before
/// the database did are told too.
///
/// **When the database was set back** (a standby took over that lacked the last transactions, a
/// restore) the old snapshot lies in its future; then what was posted since the last look is
/// delivered, by the clock.
///
/// **News** are told once; a user who is not connected gets them at the next connect.
/// `sluice.tell_user` posts them and keeps them in `sluice.undelivered` until they were written to
/// a socket (``News``, ``Undelivered``).
///
/// **Limits:** 1000 rows a statement; a subscriber that is slow delays the others, so it must hand
/// over at once.
enum Notices {
    /// Notified in every transaction that posts.
    static let channel = "sluice_notice"
}

/// How long notices are kept and how often the table is looked at.
public struct NoticeConfiguration: Sendable {
    /// A node that is cut off from the database for longer than this misses some.
    public var keptFor: Duration = .seconds(3600)
    /// Between two sweeps of a node; all nodes sweep.
    public var sweepInterval: Duration = .seconds(300)
    /// Between two looks at the table while nobody says that there is something new.
    public var lookInterval: Duration = .seconds(5)

    /// The defaults.
    public init() {}
}
