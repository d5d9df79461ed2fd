/// `sluice forget`: removes one user's data from all tables and from the file store.
///
/// **What belongs to a user.** Rows with the user's id; the readings and rollups of batches that
/// named the user, which have a key of their own for each device, and what of these batches was
/// quarantined; jobs, notices and rejected units
/// whose payload names the user; uploaded files of the user's rows, and files uploaded without a
/// user that belong to the user's captures. `Schema.tables` says whose the rows of each table are,
/// also of tables that hold no user's data; a test fails for a table that is missing there. An
/// export of the user (``UserExport``) follows the same list.
///
/// **Order, and what a crash leaves.** The rows through which other rows are found are removed
/// last. Jobs go first, so that no handler writes results again (its lease is gone with its row). A
/// capture goes in one transaction with the rows of its files. A device's readings go before its
/// watermarks, and its watermarks with the device. `device_state.readings` loses each reading in
/// the transaction that removes it. So a run that was interrupted is completed by running it again.
/// The contents of files are removed after the commit that removed the rows naming them; the
/// server's sweep removes those that a crash leaves.
///
/// **Failures.** A table or file that refuses does not stop the others; the report names it, and
/// the next run tries it again.
///
/// **Beside a running server.** Transactions are short: at most ``ErasureLimits/batchRows`` rows of
/// one table. Only row locks are taken. A device is removed under the lock of its row in
/// `device_state`, which every writer of its readings needs, and only if no reading of it is left;
/// the rows of its other users forget it in the same transaction.
/// A writer that waited for that lock registers the device anew. So nothing is half erased, and
/// data that the user sends afterwards is stored again. The run repeats all tables until a pass
/// finds nothing, at most five times; if the user still sends data then, the report says so.
///
/// **Copies.** Tables made by `sluice archive restore --into` are recognized by their comment, and
/// rows are removed from them too. A copy that refuses this is named in the report, and its devices
/// stay registered for the next run.
///
/// **Out of reach**: backups, archived write-ahead logs, replicas that lag, the spools of other
/// nodes, copies made by other programs. Removed rows stay in the data files until VACUUM and new
/// rows have overwritten them.
public enum Erasure {
    /// Copies of a user's data that SQL does not reach.
    public static let outOfReach = [
        "backups and archived write-ahead logs hold it until they expire",
        "a running server may hold the id in memory until other devices' have replaced it",
    ]
}
