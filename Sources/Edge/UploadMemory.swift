import DequeModule
import NIOCore
import Synchronization

/// Bounds the bytes of all uploads' bodies that have come and are not yet with the disk.
///
/// A few uploads at a time have a *place*: they are read in large pieces, which is what makes reading
/// and writing cheap. The others are read in small ones, and as soon as one of those comes full, so
/// that there is more in the kernel, its upload waits for a place, in the order of asking; meanwhile
/// the kernel's buffer holds what comes. A place goes back as soon as its upload has nothing here and
/// the last read brought little, so that a slow client has none: what it sends is less than one small
/// read at a time. After a read that brought much the place waits for the next one, up to
/// ``unusedPlaceTimeMax``: a task that is quicker than its loop would otherwise lose the place between
/// any two reads, and come by the next one only through another small read and the line. It also goes
/// back after ``turnBytesMax`` where others wait, so that none of them waits for long: a body that
/// does not come for some seconds is taken for one that its client has given up.
///
/// ```
///   small reads ──(one was full)──▶ waits in line ──▶ place: large reads ──(all is written)──┐
///        ▲───────────────────────────────────────────────────────────────────────────────────┘
/// ```
/// In all: ``placesMax`` × ``windowBytes`` (6 MiB), less than two small reads for each upload, and
/// what a second thread still hashes of the few that have one (`HashLine`).
final class UploadMemory: Sendable {
    /// Uploads that are read in large pieces at a time.
    static let placesMax = 8
    /// How much is read at a time for an upload with a place. More does not fit into the cache of a
    /// processor's core.
    static let largeBytes = 256 << 10
    /// How much is read at a time for one without, and what it may hold.
    static let smallBytes = 8 << 10
    /// What one with a place may hold: one piece is read, one is with the disk, one waits.
    static let windowBytes = 3 * largeBytes
    /// What one may take with a place before it is another's turn.
    static let turnBytesMax = 2 << 20
    /// So much in one read comes from a client that has more.
    static let muchBytes = 32 << 10
    /// How long a place may be without use after that.
    static let unusedPlaceTimeMax = TimeAmount.milliseconds(10)
    /// Buffers for large reads that are kept for the next one: memory that is new to the process
    /// costs as much as reading into it.
    static let sparesMax = placesMax * 3

    fileprivate struct State {
        var freePlaces = UploadMemory.placesMax
        var line: Deque<BodyPipe> = []
        var spares: [ByteBuffer] = []
    }

    private let state = Mutex(State())

    /// Takes a place if one is free.
    func takePlace() -> Bool {
        state.withLock { state in
            guard state.freePlaces > 0 else { return false }
            state.freePlaces -= 1
            return true
        }
    }

    /// Somebody waits in line.
    var isPlaceWanted: Bool { state.withLock { !$0.line.isEmpty } }

    /// Takes a place or waits in line for one: ``BodyPipe/placeIsFree()`` is called then.
    ///
    /// - Returns: whether there was one.
    func takePlaceOrWait(_ pipe: BodyPipe) -> Bool {
        state.withLock { state in
            guard state.freePlaces > 0 else {
                state.line.append(pipe)
                return false
            }
            state.freePlaces -= 1
            return true
        }
    }

    /// Hands a place on to the next in line that still wants one.
    func givePlaceBack() {
        while let next = nextInLine() {
            if next.placeIsFree() { return }
        }
    }

    /// - Returns: nil when the place became free for anybody.
    private func nextInLine() -> BodyPipe? {
        state.withLock { state in
            guard let next = state.line.popFirst() else {
                state.freePlaces += 1
                precondition(
                    state.freePlaces <= Self.placesMax, "BUG: \(state.freePlaces) free places")
                return nil
            }
            return next
        }
    }

    /// Memory for a large read.
    func largeBuffer(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        state.withLock { $0.takeSpare() } ?? allocator.buffer(capacity: Self.largeBytes)
    }

    /// Keeps a large read's memory for one that comes when nobody uses it any more.
    func recycle(_ piece: consuming ByteBuffer) {
        guard piece.storageCapacity == Self.largeBytes else { return }
        state.withLock { [piece] state in
            if state.spares.count < Self.sparesMax { state.spares.append(piece) }
        }
    }
}

extension UploadMemory.State {
    /// The longest unused is the likeliest to be free.
    fileprivate mutating func takeSpare() -> ByteBuffer? {
        for place in spares.indices
        where spares[place].modifyIfUniquelyOwned({ $0.clear() }) != nil {
            return spares.remove(at: place)
        }
        return nil
    }
}
