import Logging

/// Reads the core's log. The core may warn, but it must never report a loss unless the spool's
/// directory was removed.
final class OracleLog: LogHandler, @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    unowned(unsafe) var run: Run?
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let text = "\(event.level): \(event.message) \(event.metadata ?? [:])"
        run?.tell(text)
        if event.level == .critical, run?.oracle.mayLoseSpool != true {
            run?.oracle.violation("the core says: \(text)")
        }
    }
}
