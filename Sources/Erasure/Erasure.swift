/// One user's data, removed from all tables and from the file store: `sluice forget`.
///
/// **What is a user's.** Rows with the user's id; devices that named the user last, with all their
/// readings, rollups and quarantined readings; jobs, notices and set-aside units whose payload names
/// the user; uploaded files of the user's rows, and those that were uploaded for nobody in particular
/// but belong to the user's captures. ``TableRule/all`` says it table by table, also of the tables
/// that hold nobody's data; a test fails for a table that is not on it.
///
/// **Order, and what a crash leaves.** Everything is found by what is removed last: jobs first, so
/// that no handler writes results again (its lease is gone with its row); a capture in one
/// transaction with the rows of its files; a device's readings before its watermarks, its watermarks
/// with the device; `device_state.readings` loses each reading in the transaction that removes it. So
/// a run that was cut off is finished by running it again. Bytes of files go after
/// the rows that named them have gone for good; what a crash leaves of them, the server's sweep
/// removes.
///
/// **Beside a running server.** Transactions are short: at most ``ErasureLimits/batchRows`` rows of
/// one table. No lock is taken but those of the rows. A device goes under the lock of its row of
/// `device_state`, which whoever stores readings of it needs, and only when no reading of it is left:
/// what a writer was about to store belongs to a device that is new from then on. So nothing is half
/// forgotten, and what the user sends afterwards is there again. The run goes through all tables
/// until one pass finds nothing, five times at most; if the user still sends then, the report says
/// so.
///
/// **Copies.** Tables that `sluice archive restore --into` made are known by their comment, and rows
/// go from them too; one that refuses that is named, and the devices stay known for the next run.
///
/// **What it can't reach**: backups, archived write-ahead logs, replicas that lag, the spools of
/// other nodes, what other programs have copied. Rows that were removed stay in the data files until
/// VACUUM and new rows have overwritten them.
public enum Erasure {
    /// What is known to hold a user's data and is not reached by SQL.
    public static let outOfReach = [
        "backups and archived write-ahead logs hold it until they expire",
        "a running server may hold the id in memory until other devices' have replaced it",
    ]
}
