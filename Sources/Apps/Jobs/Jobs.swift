/// Work that is done after a commit, queued in a table in PostgreSQL. No crash loses a job or
/// applies its results twice, and all nodes share the queue.
///
/// **A job is a row** of `sluice.job`, inserted by the transaction that makes it necessary
/// (`sluice.enqueue_job`). Each kind and key has one row: a request updates a waiting job and makes
/// a running job run again. The row is deleted when the job is done. `due_at` alone says when it
/// may be taken: at the requested time, at the end of a pause or of a lease, or never (`infinity`,
/// a dead job).
///
/// **A run:**
/// 1. *Claim*: `FOR UPDATE SKIP LOCKED` on due rows, the longest overdue first; they get a lease
///    (a number that is never used twice, and `due_at` = now + 30 s), committed at once. So no
///    transaction is open while a job runs.
/// 2. The ``JobHandler`` works. Every ten seconds the leases of running jobs are renewed.
/// 3. *Finish*, one transaction: the outcome's `commit` writes results, then the row is deleted if
///    it still has the lease; if not, everything is rolled back. The row is locked last. Every
///    caller locks a job's subject before it requests the job, so the two can't deadlock.
///
/// **When a process ends:** before 1 is committed, the job was never taken. Between 1 and 3 the
/// lease expires and another runner takes the job, with one more attempt on its count. A COMMIT
/// whose answer is lost is sent again: the row is gone or has another lease, and the second try
/// rolls back. A handler that returns after its lease was lost finds the same.
///
/// **Failures** are retried after a pause that doubles from 2 s to at most 1 h. After 12 attempts
/// the job is dead: it keeps its row and its last error. It runs again after a retry by hand
/// (``JobStore/retry(_:on:)``) or after a new request.
///
/// **A runner wakes up** on NOTIFY `sluice_job`, when the next job is due, or after five seconds.
///
/// **Limits:** at most ``JobConfiguration/concurrency`` jobs run at a time, and no more are
/// claimed than run. Payloads and error texts are small by rule (an error is cut at 1000
/// characters).
enum Jobs {
    /// Notified in every transaction that makes work available.
    static let channel = "sluice_job"
}
