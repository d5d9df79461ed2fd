/// Checks a database against everything that a fleet sent and all answers that it received.
///
/// The ``Ledger`` keeps one byte per reading: whether it was sent and acknowledged. A 202
/// acknowledges a reading as a 200 does, but the reading is in the database only once the
/// server's spool is empty, so verify then. The content of a reading is computed again from the
/// fleet's seed. ``Verification`` reads back every row of the fleet's devices, finds the reading
/// that it must be, compares the bytes, and objects to
/// - an acknowledged reading that is not stored (lost),
/// - a reading stored twice,
/// - a row that was never sent (invented),
/// - an acknowledged malformed reading that is not in quarantine exactly once, with its reason
///   and its bytes; and anything else in quarantine,
/// - answers whose counts don't add up, or whose sum differs from the tables,
/// - devices that are not stored under their own id.
///
/// An oracle that can't object is worth nothing. So ``Tampering`` changes the database in several
/// ways, each in a transaction that is rolled back, and expects an objection each time.
