import Synchronization

/// The bytes of all answers that clients have not taken yet, over all loops.
///
/// An answer that is being made is counted whatever it weighs; a request that would make one more is
/// refused once there is no room. So what is held is the limit, and one answer for each request
/// that was let in before it was reached.
final class UnsentBytes: Sendable {
    private let bytesMax: Int
    private let bytes = Atomic<Int>(0)

    init(bytesMax: Int) {
        precondition(bytesMax > 0, "BUG: bytesMax=\(bytesMax)")
        self.bytesMax = bytesMax
    }

    var value: Int { bytes.load(ordering: .relaxed) }

    var hasRoom: Bool { value < bytesMax }

    /// - Parameter change: negative when the client has taken some.
    func add(_ change: Int) {
        let after = bytes.wrappingAdd(change, ordering: .relaxed).newValue
        precondition(after >= 0, "BUG: \(change) bytes made \(after)")
    }
}
