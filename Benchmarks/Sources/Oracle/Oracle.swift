/// Checks a database against everything that a fleet sent and was answered.
///
/// The ``Ledger`` keeps one byte a reading: sent, acknowledged. A 202 acknowledges as a 200 does,
/// for a reading that is in the database once the server's spool is empty: verify then. What a
/// reading was is computed again from the fleet's seed. ``Verification`` then reads back every row
/// of the fleet's devices, leads each back to the reading that it must be, compares the bytes, and
/// objects to
/// - an acknowledged reading that is not stored (lost),
/// - a reading stored twice,
/// - a row that nobody sent (invented),
/// - a malformed reading that was acknowledged but is not in quarantine, once, with its reason and
///   its bytes; and anything else in quarantine,
/// - answers whose counts don't add up, or whose sum is not what the tables hold,
/// - devices that are not known by their own id.
///
/// An oracle that can't object is worth nothing: ``Tampering`` spoils the database inside a
/// transaction that is rolled back, in each of these ways, and expects an objection each time.
