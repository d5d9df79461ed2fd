import Foundation
import Synchronization

/// Ctrl-C and SIGTERM end a run after the present round, so that nothing is left behind.
enum Stopping {
    private static let asked = Atomic(false)

    static var isAsked: Bool { asked.load(ordering: .relaxed) }

    static func listen() {
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Stopping.asked.store(true, ordering: .relaxed) }
        }
        signal(SIGPIPE, SIG_IGN)
    }
}
