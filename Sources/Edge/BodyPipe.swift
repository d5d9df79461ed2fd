import MediaStorage
import NIOCore
import Synchronization

/// What has come of a request's body, between its event loop and the task that uploads it.
///
/// The loop reads on as long as ``UploadMemory`` lets this pipe hold more. The task takes all there is
/// at a time. Without a place it is woken only when a small read's worth has gathered, for a change of
/// threads costs some 10 µs; with one, by every read.
///
/// `@unchecked Sendable`: `handler` is touched on the event loop only, all else under the lock. That
/// lock may be held when the memory's is taken, and never the other way round.
final class BodyPipe: @unchecked Sendable {
    /// The first last.
    typealias Pieces = [ByteBuffer]
    fileprivate typealias Waiter = CheckedContinuation<Pieces, any Error>

    fileprivate enum Ending {
        case complete
        case failed(any Error)
        case abandoned
    }

    fileprivate enum Place {
        case none
        case awaited
        case held
    }

    fileprivate struct State {
        var waiting: Pieces = []
        /// Of the memory behind what waits.
        var waitingCapacity = 0
        /// Of that behind what the task took last and may still be busy with.
        var takenCapacity = 0
        var place = Place.none
        /// That have come since it has its place.
        var turnBytes = 0
        /// Others wait for the place, and this pipe has had enough of it.
        var isTurnOver = false
        /// The last read filled its buffer: there is more.
        var wasFull = false
        /// The last read was full or brought much: there will be more at once.
        var wasMuch = false
        /// Of all that has come.
        var bytes = 0
        /// Somebody will look whether the place is still used.
        var isPlaceWatched = false
        var ending: Ending?
        var waiter: Waiter?
        /// The loop does not read, because there is enough here.
        var isLoopHeld = false

        var capacity: Int { waitingCapacity + takenCapacity }

        /// The task waits for more and there is nothing.
        var isDrained: Bool { capacity == 0 }

        /// The place is used again as soon as the loop comes round to it.
        var isPlaceKept: Bool { wasMuch && !isTurnOver && ending == nil }

        var isHungry: Bool {
            guard ending == nil else { return false }
            return switch place {
            case .none: capacity < UploadMemory.smallBytes
            case .awaited: false
            case .held where isTurnOver: false
            case .held: capacity + UploadMemory.largeBytes <= UploadMemory.windowBytes
            }
        }
    }

    private let memory: UploadMemory
    private let eventLoop: any EventLoop
    private let state = Mutex(State())
    /// Who reads for this pipe.
    weak var handler: IngestHandler?

    init(_ memory: UploadMemory, eventLoop: any EventLoop) {
        self.memory = memory
        self.eventLoop = eventLoop
    }

    deinit {
        if state.withLock({ $0.place == .held }) { memory.givePlaceBack() }
    }

    // MARK: The event loop's side

    /// Memory for the next read.
    func buffer(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        let isLarge = state.withLock { state in
            // There was more at the last read, and this one may be of what was there then.
            if state.place == .none, state.wasFull, state.ending == nil, memory.takePlace() {
                state.place = .held
            }
            return state.place == .held
        }
        return isLarge
            ? memory.largeBuffer(allocator) : allocator.buffer(capacity: UploadMemory.smallBytes)
    }

    func append(_ chunk: ByteBuffer) {
        change { state in
            guard state.ending == nil else { return }
            state.bytes += chunk.readableBytes
            let isLarge = chunk.storageCapacity > UploadMemory.smallBytes
            state.wasFull =
                chunk.readableBytes
                >= (state.place == .held ? UploadMemory.largeBytes : UploadMemory.smallBytes)
            state.wasMuch = state.wasFull || chunk.readableBytes >= UploadMemory.muchBytes
            state.append(chunk, joined: !isLarge)
            if state.place == .held {
                state.turnBytes += chunk.readableBytes
                state.isTurnOver =
                    state.turnBytes >= UploadMemory.turnBytesMax && memory.isPlaceWanted
            }
            if state.wasFull, state.place == .none {
                state.place = memory.takePlaceOrWait(self) ? .held : .awaited
            }
        }
    }

    /// The body is complete.
    func end() {
        change { state in
            if state.ending == nil { state.ending = .complete }
        }
    }

    /// The body ends after `bytes`, and not as it should.
    func fail(at bytes: Int) {
        change { state in
            guard state.ending == nil else { return }
            state.ending = .failed(MultipartError.truncated(offset: bytes))
        }
    }

    /// Whether the loop is to read on; if not, it is told when it is. Then a task that waits for more
    /// gets what there is.
    var isHungry: Bool {
        var isHungry = false
        change { state in
            isHungry = state.isHungry
            state.isLoopHeld = !isHungry
        }
        return isHungry
    }

    // MARK: The task's side

    /// What has come since the last time.
    ///
    /// - Returns: nothing at the body's end.
    func next() async throws -> Pieces {
        try await withCheckedThrowingContinuation { waiter in
            change { state in
                precondition(state.waiter == nil, "BUG: two tasks take from one pipe")
                state.takenCapacity = 0
                state.waiter = waiter
            }
        }
    }

    /// A piece is done with.
    func recycle(_ piece: consuming ByteBuffer) { memory.recycle(piece) }

    /// Whatever is here or comes is passed over.
    func abandon() {
        change { state in
            state.ending = .abandoned
            state.drop()
        }
        eventLoop.execute { [self] in
            if let handler, handler.pipe === self {
                handler.pipe = nil
                handler.wire.readOnIfOwed(isDrained: false)
            }
        }
    }

    // MARK: Both

    /// It has come to the front of the line.
    ///
    /// - Returns: false when the place is no longer wanted.
    func placeIsFree() -> Bool {
        var isWanted = false
        change { state in
            isWanted = state.ending == nil
            state.place = isWanted ? .held : .none
        }
        return isWanted
    }

    /// Changes the state, and does what follows from it.
    private func change(_ body: (inout State) -> Void) {
        var waiter: Waiter?
        var outcome: Result<Pieces, any Error> = .success([])
        var hasPlaceToGive = false
        var hasPlaceToWatch = false
        let isToRead = state.withLock { state in
            body(&state)
            if state.waiter != nil, let due = state.takeIfDue() {
                outcome = due
                waiter = state.waiter.take()
            }
            if state.place == .held, state.isDrained {
                if state.isPlaceKept {
                    hasPlaceToWatch = !state.isPlaceWatched
                    state.isPlaceWatched = true
                } else {
                    state.place = .none
                    (state.turnBytes, state.isTurnOver) = (0, false)
                    hasPlaceToGive = true
                }
            }
            guard state.isLoopHeld, state.isHungry else { return false }
            state.isLoopHeld = false
            return true
        }
        if hasPlaceToGive { memory.givePlaceBack() }
        if hasPlaceToWatch { watchPlace() }
        if isToRead {
            eventLoop.execute { [self] in handler?.wire.readOnIfOwed(isDrained: false) }
        }
        waiter?.resume(with: outcome)
    }

    /// Looks once more, later: a place that was not used meanwhile is given back.
    private func watchPlace() {
        let bytes = state.withLock { $0.bytes }
        _ = eventLoop.scheduleTask(in: UploadMemory.unusedPlaceTimeMax) { [weak self] in
            self?.change { state in
                state.isPlaceWatched = false
                if state.isDrained, state.bytes == bytes { state.wasMuch = false }
            }
        }
    }
}

extension BodyPipe.State {
    /// - Parameter joined: it is small, and put behind what is there: its memory is not kept.
    fileprivate mutating func append(_ chunk: ByteBuffer, joined: Bool) {
        if joined {
            waitingCapacity += chunk.readableBytes
            guard let last = waiting.first, last.storageCapacity < UploadMemory.largeBytes else {
                waiting.insert(chunk, at: 0)
                return
            }
            waiting[0].writeImmutableBuffer(chunk)
        } else {
            waitingCapacity += chunk.storageCapacity
            waiting.insert(chunk, at: 0)
        }
    }

    fileprivate mutating func takeIfDue() -> Result<BodyPipe.Pieces, any Error>? {
        switch ending {
        case .failed(let error): return .failure(error)
        case .abandoned: return .success([])
        case .complete: break
        case nil where waiting.isEmpty || place == .awaited: return nil
        case nil where place == .none && isHungry: return nil
        case nil: break
        }
        defer {
            takenCapacity = waitingCapacity
            (waiting, waitingCapacity) = ([], 0)
        }
        return .success(waiting)
    }

    fileprivate mutating func drop() {
        waiting = []
        (waitingCapacity, takenCapacity) = (0, 0)
    }
}
