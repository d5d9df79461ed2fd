@preconcurrency import Dispatch
import Channels
import Glibc
import Postgres

/// Runs one thing at a time; owns everything mutable in a lane or the spool.
package protocol WorkLoop: AnyObject, Sendable {
    /// Ticks from now on. Its owner keeps the loop first: what a tick begins may be answered, on
    /// the loop, before this returns.
    func start()
    /// From any thread; several raises before the wake become one.
    func raise()
    /// Runs `work` once, after what is running now.
    func run(_ work: @escaping @Sendable () -> Void)
    /// No ticks from now on; what was given to ``run(_:)`` before still runs. Wakes may still come.
    func stop()
}
