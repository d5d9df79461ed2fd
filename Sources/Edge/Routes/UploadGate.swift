import Access
import Synchronization

/// Bounds how many uploads are under way, and with them the memory that they take; and how many of
/// them are one caller's, so that nobody keeps all others out.
final class UploadGate: Sendable {
    /// What came of asking for a place.
    enum Entry: Equatable {
        case entered
        /// Nobody may enter now.
        case full
        /// This caller has enough of the places; others may enter.
        case shareUsedUp
    }

    private struct State {
        var count = 0
        /// Those with none are not in it.
        var counts: [Uploader: Int] = [:]
    }

    let uploadsMax: Int
    private let state = Mutex(State())

    /// How many times what is free one caller may have: the rule of ``KeyAccount/reserve(_:free:)``.
    private static let shareOfFree = 4

    init(uploadsMax: Int) {
        precondition(uploadsMax > 0, "BUG: uploadsMax=\(uploadsMax)")
        self.uploadsMax = uploadsMax
    }

    /// Lets one in. Balance it with ``leave(_:)`` when it has entered.
    ///
    /// Where nobody says who he is all are one caller, and there is nobody to be fair to.
    func enter(_ caller: Caller) -> Entry {
        let uploader = Uploader(caller)
        return state.withLock { state in
            let free = uploadsMax - state.count - 1
            guard free >= 0 else { return .full }
            let own = state.counts[uploader, default: 0] + 1
            guard own == 1 || uploader == .anybody || own <= Self.shareOfFree * free else {
                return .shareUsedUp
            }
            state.count += 1
            state.counts[uploader] = own
            return .entered
        }
    }

    func leave(_ caller: Caller) {
        let uploader = Uploader(caller)
        state.withLock { state in
            guard let own = state.counts[uploader] else {
                preconditionFailure("BUG: an upload that had not entered")
            }
            state.counts[uploader] = own > 1 ? own - 1 : nil
            state.count -= 1
        }
    }

    var count: Int { state.withLock { $0.count } }
}
