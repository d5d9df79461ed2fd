import Logging

/// Listens to what the core logs: it may warn, and it must never say that something was lost, unless
/// the spool's directory was removed.
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
