/// Work that is done after a commit, from a table in PostgreSQL: no crash loses a job or applies
/// its results twice, and all nodes share them.
///
/// **A job is a row** of `sluice.job`, made in the transaction that makes it necessary
/// (`sluice.enqueue_job`). One row a kind and key: what is asked for while it waits is the same job;
/// what is asked for while it runs lets it run again. When it is done the row is deleted. `due_at`
/// alone says whether it may be taken: the time it is wanted, the end of a pause, of a lease, or
/// never (`infinity`, a dead one).
///
/// **A run:**
/// 1. *Claim*: `FOR UPDATE SKIP LOCKED` on what is due, the longest due first; the rows get a lease
///    (a number that is never used twice, and `due_at` = now + 30 s), committed at once. So no
///    transaction is open while a job runs.
/// 2. The ``JobHandler`` works. Every ten seconds one statement renews the leases of all that runs.
/// 3. *Finish*, one transaction: the outcome's `commit` writes results, then the row is deleted
///    where it still has the lease; where not, all is rolled back. Results come first and the row
///    last, so that whoever locks what a job is about before asking for the job, as everybody does,
///    can't deadlock with it.
///
/// **When something ends in between:** before 1 is committed the job was never taken. From then on
/// until 3 is committed the lease runs out and somebody else takes it, with one attempt more on its
/// count. A COMMIT whose answer is lost is sent again: the row is gone or has no such lease, and the
/// second try rolls back. A handler that comes back after its lease has gone to another finds the
/// same.
///
/// **Failures** are tried again after a pause that doubles from 2 s to 1 h; after 12 attempts the
/// job is dead: it keeps its row and last error, and is run again by hand (``JobStore/retry(_:on:)``)
/// or when it is asked for anew.
///
/// **Wake-up** is NOTIFY `sluice_job`, the moment at which the next one is due, or five seconds.
///
/// **Limits:** ``JobConfiguration/concurrency`` runs at a time and no more claimed than run; payload
/// and error texts are small by rule (an error is cut at 1000 characters).
enum Jobs {
    /// Notified in every transaction that makes work.
    static let channel = "sluice_job"
}
