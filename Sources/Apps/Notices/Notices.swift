/// News for connected clients, from any node to the sockets on all nodes.
///
/// **A notice is a row** of `sluice.notice`, inserted by the transaction that makes it true
/// (`sluice.post_notice`), which also notifies `sluice_notice`. The notification has no payload: it
/// only says that the table has changed.
///
/// **Each node's ``NoticeBoard``** has its own session that listens, reads the table, and
/// delivers each new notice to its subscribers once. Ids become visible out of order, so they
/// can't tell what is new. Instead each look takes PostgreSQL's snapshot, which says which
/// transactions were finished. At the next look the new notices are those of the other
/// transactions, which were open or had not begun. So no window of time is read twice, and a
/// transaction that stays open for an hour costs one index look-up per look.
///
/// **A lost session** loses nothing: the next one looks with the old snapshot. Only a node that
/// is disconnected for longer than rows are kept (an hour) misses some. A look that fails
/// half-way is repeated without the notices that it has delivered.
///
/// **At the start** the board delivers the notices that were posted since it was made, so that
/// clients that connected before the database was reachable get them too.
///
/// **If the database lost transactions** (a standby without the last transactions took over, or a
/// backup was restored), the old snapshot lies in its future. Then the notices that were posted
/// since the last look are delivered, by the clock.
///
/// **News** reaches its user at least once; one who is not connected gets it at the next connect.
/// `sluice.tell_user` posts it and keeps it in `sluice.undelivered` until a client has confirmed it
/// (``News``, ``Undelivered``).
///
/// **Limits:** 1000 rows per statement. A slow subscriber delays the others, so it must hand the
/// notice over at once.
enum Notices {
    /// Notified in every transaction that posts a notice.
    static let channel = "sluice_notice"
}
