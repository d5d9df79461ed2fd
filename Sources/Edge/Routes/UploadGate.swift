import Synchronization

/// Bounds how many uploads are under way, and with them the memory that they take.
final class UploadGate: Sendable {
    let uploadsMax: Int
    private let uploads = Atomic(0)

    init(uploadsMax: Int) {
        precondition(uploadsMax > 0, "BUG: uploadsMax=\(uploadsMax)")
        self.uploadsMax = uploadsMax
    }

    /// Lets one in. Balance it with ``leave()``.
    func enter() -> Bool {
        if uploads.wrappingAdd(1, ordering: .relaxed).newValue <= uploadsMax { return true }
        uploads.wrappingSubtract(1, ordering: .relaxed)
        return false
    }

    func leave() {
        let left = uploads.wrappingSubtract(1, ordering: .relaxed).newValue
        precondition(left >= 0, "BUG: \(left) uploads")
    }

    var count: Int { uploads.load(ordering: .relaxed) }
}
