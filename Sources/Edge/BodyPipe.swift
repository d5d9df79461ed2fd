import MediaStorage
import NIOCore
import Synchronization

/// What has come of a request's body, between its event loop and the task that uploads it.
///
/// The loop reads on as long as ``UploadMemory`` lets this pipe hold more. The task takes all there is
/// at a time, and is woken only when that is worth a change of threads, or when nothing more will
/// come before it has taken some.
///
/// `@unchecked Sendable`: `handler` is touched on the event loop only, all else under the lock.
final class BodyPipe: @unchecked Sendable {
    typealias Pieces = ArraySlice<ByteBuffer>
    private typealias Waiter = CheckedContinuation<Pieces, any Error>

    private enum Ending {
        case complete
        case failed(any Error)
        case abandoned
    }

    private struct State {
        var waiting: Pieces = []
        var waitingBytes = 0
        /// What the task took last and may still be busy with.
        var takenBytes = 0
        /// Counted in the memory that all pipes share.
        var lentBytes = 0
        var ending: Ending?
        var waiter: Waiter?
        /// The loop does not read, because there is enough here.
        var isLoopHeld = false

        var heldBytes: Int { waitingBytes + takenBytes }
    }

    private let memory: UploadMemory
    private let eventLoop: any EventLoop
    private let state = Mutex(State())
    /// How much of its body is read at a time.
    let readBytes: Int
    /// Who reads for this pipe.
    weak var handler: IngestHandler?

    init(_ memory: UploadMemory, eventLoop: any EventLoop) {
        self.memory = memory
        self.eventLoop = eventLoop
        readBytes = memory.enter()
    }

    deinit {
        memory.lend(-state.withLock { $0.lentBytes })
        memory.leave()
    }

    // MARK: The event loop's side

    func append(_ chunk: ByteBuffer) {
        change { state in
            guard state.ending == nil else { return }
            state.waiting.append(chunk)
            state.waitingBytes += chunk.readableBytes
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
    /// gets what there is: what others hold may have made it all that will come for now.
    var isHungry: Bool {
        var isHungry = false
        change { state in
            isHungry = self.isHungry(state)
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
                state.takenBytes = 0
                state.waiter = waiter
            }
        }
    }

    /// Whatever is here or comes is passed over.
    func abandon() {
        change { state in
            state.ending = .abandoned
            state.waiting = []
            (state.waitingBytes, state.takenBytes) = (0, 0)
        }
        eventLoop.execute { [self] in
            if let handler, handler.pipe === self {
                handler.pipe = nil
                handler.wire.readOnIfOwed(isDrained: false)
            }
        }
    }

    // MARK: Both

    /// Changes the state, and does what follows from it.
    private func change(_ body: (inout State) -> Void) {
        var waiter: Waiter?
        var outcome: Result<Pieces, any Error> = .success([])
        let isToRead = state.withLock { state in
            body(&state)
            if state.waiter != nil, let due = takeIfDue(&state) {
                outcome = due
                waiter = state.waiter.take()
            }
            let lent = max(0, state.heldBytes - UploadMemory.ownBytes)
            memory.lend(lent - state.lentBytes)
            state.lentBytes = lent
            guard state.isLoopHeld, isHungry(state) else { return false }
            state.isLoopHeld = false
            return true
        }
        if isToRead {
            eventLoop.execute { [self] in handler?.wire.readOnIfOwed(isDrained: false) }
        }
        waiter?.resume(with: outcome)
    }

    private func takeIfDue(_ state: inout State) -> Result<Pieces, any Error>? {
        switch state.ending {
        case .failed(let error): return .failure(error)
        case .abandoned: return .success([])
        case nil where state.waiting.isEmpty: return nil
        case nil
        where state.waitingBytes < UploadMemory.wakeBytes && !state.isLoopHeld && isHungry(state):
            return nil
        case .complete, nil: break
        }
        defer {
            state.takenBytes = state.waitingBytes
            (state.waiting, state.waitingBytes) = ([], 0)
        }
        return .success(state.waiting)
    }

    private func isHungry(_ state: State) -> Bool {
        state.ending == nil
            && (state.heldBytes < UploadMemory.ownBytes
                || state.heldBytes < UploadMemory.windowBytes && memory.hasMore)
    }
}
