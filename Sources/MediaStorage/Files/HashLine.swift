import Glibc
import NIOCore
import Synchronization

/// The SHA-256 of an upload: of pieces in the order in which they come, by the thread that writes them,
/// or by another one meanwhile.
///
/// Hashing takes longer than writing. So where no more than half as many uploads are under way as there
/// are processors, an idle disk thread hashes a piece while the upload's own thread writes it, and
/// the end of it while that thread syncs the file. With more uploads all processors are busy anyway.
///
/// `@unchecked Sendable`: `hash` belongs to the helping thread while there is one, else to the
/// upload's.
final class HashLine: @unchecked Sendable {
    private struct State {
        /// In the order in which they are to be hashed.
        var pieces: [ByteBuffer] = []
        /// A thread hashes, and goes on as long as there are pieces.
        var isHelped = false
    }

    /// Less is not worth waking a thread for.
    static let bytesMin = 64 << 10
    /// Pieces that may wait to be hashed, beside the one that is.
    private static let piecesMax = 2

    private var hash = SHA256()
    private let state = ConditionState(State())

    /// Hashes bytes here, after all that came before.
    func update(_ bytes: UnsafeRawBufferPointer) {
        awaitHelp()
        hash.update(bytes)
    }

    /// Has another thread hash the piece.
    ///
    /// - Returns: false where no thread has the time; nothing was done then.
    func update(_ piece: ByteBuffer, by disk: DiskThreads) -> Bool {
        let isHelped = state.wait(until: { !$0.isHelped || $0.pieces.count < Self.piecesMax }) {
            if $0.isHelped { $0.pieces.append(piece) }
            return $0.isHelped
        }
        if isHelped { return true }
        // Set before the thread looks at it, which may be at once.
        state.change {
            $0.pieces.append(piece)
            $0.isHelped = true
        }
        if disk.lendIdleThread({ self.help() }) { return true }
        state.change {
            $0.pieces.removeLast()
            $0.isHelped = false
        }
        return false
    }

    /// Of what came so far; more may follow.
    func finish() -> [UInt8] {
        awaitHelp()
        return hash.finish()
    }

    private func awaitHelp() { state.wait(until: { !$0.isHelped }) { _ in } }

    /// On the helping thread.
    private func help() {
        while let piece = next() { piece.withUnsafeReadableBytes { hash.update($0) } }
    }

    private func next() -> ByteBuffer? {
        state.change { state in
            guard !state.pieces.isEmpty else {
                state.isHelped = false
                return nil
            }
            return state.pieces.removeFirst()
        }
    }
}
