import Glibc

/// How long a test waits for a condition before it fails: a busy machine may stall for many
/// seconds. A passing test waits no longer than it has to.
private let patience: Duration = .seconds(120)

/// Checks a condition repeatedly until it holds.
///
/// - Parameter pause: the time between two checks; longer if each costs a process or a
///   connection.
/// - Returns: false if the condition does not hold after two minutes.
public func eventually(
    every pause: Duration = .milliseconds(5), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + patience
    while true {
        // Checked once more at the end, because this thread may have stalled.
        let isLast = ContinuousClock.now > end
        if try await condition() { return true }
        if isLast { return false }
        try await Task.sleep(for: pause)
    }
}

/// The same for a blocking thread.
public func eventuallyBlocking(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + patience
    while true {
        let isLast = ContinuousClock.now > end
        if try condition() { return true }
        if isLast { return false }
        usleep(5000)
    }
}
