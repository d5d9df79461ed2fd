import Synchronization

/// Counts the bytes of all answers that clients have not taken yet, over all loops.
///
/// An answer under way is counted whatever its size. Once there is no room, requests that would
/// make another answer are rejected. So the memory held is at most the limit plus one answer for
/// each request that was admitted before the limit was reached.
///
/// One address may have four times as many bytes as are free (``SharedPlaces``). What its answers
/// under way have beyond four fifths of all does not count for others. So those who don't read
/// leave room for others.
final class UnsentBytes: Sendable {
    private struct State {
        var bytes = 0
        /// Without what addresses have beyond their share.
        var counted = 0
        var ofAddress: [ClientAddress: Int] = [:]
    }

    private static let shareOfFree = 4

    private let bytesMax: Int
    private var shareMax: Int { bytesMax / 5 * 4 }
    private let state = Mutex(State())

    init(bytesMax: Int) {
        precondition(bytesMax > 0, "BUG: bytesMax=\(bytesMax)")
        self.bytesMax = bytesMax
    }

    var value: Int { state.withLock { $0.bytes } }

    func hasRoom(for address: ClientAddress?) -> Bool {
        state.withLock { state in
            let free = bytesMax - state.counted
            let own = address.flatMap { state.ofAddress[$0] } ?? 0
            return free > 0 && own <= Self.shareOfFree * free && own <= shareMax
        }
    }

    /// - Parameter change: negative if the client has taken bytes.
    func add(_ change: Int, of address: ClientAddress?) {
        state.withLock { state in
            state.bytes += change
            precondition(state.bytes >= 0, "BUG: \(change) bytes made \(state.bytes)")
            guard let address else {
                state.counted += change
                return
            }
            let before = state.ofAddress[address, default: 0]
            let after = before + change
            state.counted += min(after, shareMax) - min(before, shareMax)
            state.ofAddress[address] = after > 0 ? after : nil
        }
    }
}
