import NIOCore
import NIOPosix
import Readings

/// The threads that serve connections, with the state of each.
struct ConnectionLoops: Sendable {
    let group: MultiThreadedEventLoopGroup
    private let loops: [ObjectIdentifier: ConnectionLoop]
    private let inOrder: [ConnectionLoop]

    /// - Parameters:
    ///   - count: threads; 0 means one per core.
    ///   - make: called once per thread, with its number from 0.
    init(count: Int, make: (any EventLoop, Int) -> ConnectionLoop) {
        group = MultiThreadedEventLoopGroup(
            numberOfThreads: count == 0 ? System.coreCount : count)
        var loops: [ObjectIdentifier: ConnectionLoop] = [:]
        for eventLoop in group.makeIterator() {
            loops[ObjectIdentifier(eventLoop)] = make(eventLoop, loops.count)
        }
        self.loops = loops
        inOrder = Array(loops.values)
    }

    /// Gives an accepted connection of `loop` its place, and asks the other loops to make room if
    /// it gets none.
    ///
    /// - Returns: nil if the connection must be closed at once.
    func seat(for address: ClientAddress?, on loop: ConnectionLoop) -> ConnectionSeat? {
        let seat = loop.seat(for: address)
        if let seat, seat.isSurplus {
            evict(for: address, from: inOrder.filter { $0 !== loop }[...])
        }
        return seat
    }

    private func evict(for address: ClientAddress?, from others: ArraySlice<ConnectionLoop>) {
        guard let first = others.first else { return }
        first.eventLoop.execute {
            guard let refusal = first.places.refusal(.regular, for: address),
                !first.evict(.regular, for: address, refusal)
            else { return }
            evict(for: address, from: others.dropFirst())
        }
    }

    var count: Int { loops.count }

    subscript(eventLoop: any EventLoop) -> ConnectionLoop {
        guard let loop = loops[ObjectIdentifier(eventLoop)] else {
            preconditionFailure("BUG: a connection on a foreign event loop")
        }
        return loop
    }

    func startSweeping() async throws {
        for loop in loops.values {
            try await loop.eventLoop.submit { loop.startSweeping() }.get()
        }
    }

    func reload(_ configuration: HTTPConfiguration, _ limits: ReadingLimits) {
        for loop in loops.values {
            loop.eventLoop.execute { loop.reload(configuration, limits) }
        }
    }

    /// Tells every connection that the server is stopping.
    func drain() {
        for loop in loops.values {
            loop.eventLoop.execute { loop.drain() }
        }
    }

    func notify(topic: String, user: String, text: String) {
        for loop in loops.values {
            loop.eventLoop.execute { loop.sockets.notice(topic: topic, user: user, text: text) }
        }
    }

    /// Whether every loop runs a task within `limit`.
    func answer(within limit: Duration) async -> Bool {
        let (answers, signal) = AsyncStream.makeStream(of: Void.self)
        for loop in loops.values { loop.eventLoop.execute { signal.yield() } }
        // The stream ends with the timer, so that a hanging loop does not block the caller.
        let timer = Task {
            try? await Task.sleep(for: limit)
            signal.finish()
        }
        defer { timer.cancel() }
        var count = 0
        for await _ in answers.prefix(loops.count) { count += 1 }
        return count == loops.count
    }

    func stopSweeping() async throws {
        for loop in loops.values {
            try await loop.eventLoop.submit { loop.stopSweeping() }.get()
        }
    }
}
