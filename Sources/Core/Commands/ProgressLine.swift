import ArgumentParser
import Foundation
import Readings
import Server
import Status
import Synchronization
import Times

/// How far a command is, on standard error: a line that is overwritten on a terminal, and elsewhere
/// one every ten seconds.
package enum ProgressLine {
    private static let isTerminal = isatty(STDERR_FILENO) == 1
    private static let interval: Duration = .seconds(10)
    private static let nextLine = Mutex(ContinuousClock.now + interval)

    /// Shows a text in place of the last one.
    package static func show(_ text: String) {
        if isTerminal {
            FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
            return
        }
        let isDue = nextLine.withLock { next in
            guard next <= .now else { return false }
            next = .now + interval
            return true
        }
        if isDue { StandardError.write("\(text)\n") }
    }

    /// Nothing more is shown.
    package static func end() {
        if isTerminal { show("") }
    }
}
