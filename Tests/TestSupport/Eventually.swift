import Glibc

/// How long a test waits for what must come, before it fails: a machine that is busy with other
/// things may stall for many seconds. A test that passes waits no longer than it has to.
private let patience: Duration = .seconds(120)

/// Asks again and again until it is so.
///
/// - Parameter pause: between two questions; longer where each costs a process or a connection.
/// - Returns: false when it is not so after two minutes.
public func eventually(
    every pause: Duration = .milliseconds(5), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + patience
    while true {
        // Asked once more at the end: this thread may have been the one that stalled.
        let isLast = ContinuousClock.now > end
        if try await condition() { return true }
        if isLast { return false }
        try await Task.sleep(for: pause)
    }
}

/// The same for a thread that blocks.
public func eventuallyBlocking(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + patience
    while true {
        let isLast = ContinuousClock.now > end
        if try condition() { return true }
        if isLast { return false }
        usleep(5000)
    }
}
