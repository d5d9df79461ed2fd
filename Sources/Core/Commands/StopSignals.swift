import ArgumentParser
import Dispatch
import Foundation
import Logging
import Server
import Synchronization

/// Handles SIGINT, SIGTERM and SIGHUP during its lifetime, so that a command can clean up.
final class StopSignals {
    private final class Seen: Sendable {
        let signal = Atomic<Int32>(0)
    }

    private let seen = Seen()
    private let sources: [any DispatchSourceSignal]

    /// - Parameter stop: called on a global queue for each signal.
    init(_ stop: @escaping @Sendable () -> Void) {
        let seen = seen
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                seen.signal.store(number, ordering: .relaxed)
                stop()
            }
            source.resume()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// The latest signal; nil: none.
    var last: Int32? {
        let number = seen.signal.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }
}
