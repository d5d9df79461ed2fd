import NIOCore

/// Gathers what an event loop's connections ask of ``FileFinder``, and asks for all of it together.
///
/// Requests that come while a round is under way wait for the next one. So each is answered by
/// statements that began after it: it sees whatever was replaced or removed before. Nobody waits for
/// more than one round of others, and at most one request of each connection is here.
///
/// A round changes threads several times. So while there are many requests, the next one begins
/// when as many have come as the last one had, ``pauseMax`` after that began at the latest: a request
/// then waits a little, and all of them are answered sooner.
final class LoopFiles {
    // Touched on the event loop only.
    private let finder: FileFinder
    private let eventLoop: any EventLoop
    private var waiting: [(wanted: FileWanted, handler: IngestHandler)] = []
    private var isAsking = false
    /// The next round is to begin.
    private var isDue = false
    /// It waits for more requests.
    private var pause: Scheduled<Void>?
    /// Requests of the last round, and when it began.
    private var last = (count: 0, at: NIODeadline.uptimeNanoseconds(0))

    /// From the beginning of a round with many requests to that of the next at most.
    static let pauseMax = TimeAmount.milliseconds(4)
    /// Requests that are many.
    static let manyMin = 8

    init(_ finder: FileFinder, on eventLoop: any EventLoop) {
        self.finder = finder
        self.eventLoop = eventLoop
    }

    /// Tells `handler` later what was found.
    func find(_ wanted: FileWanted, for handler: IngestHandler) {
        waiting.append((wanted, handler))
        if !isAsking {
            isAsking = true
            askSoon()
        } else if waiting.count == last.count, let pause {
            pause.cancel()
            askAtOnce()
        }
    }

    private func askSoon() {
        isDue = true
        let due = last.at + Self.pauseMax
        guard last.count >= Self.manyMin, waiting.count < last.count, eventLoop.now < due else {
            askAtOnce()
            return
        }
        pause = eventLoop.assumeIsolated().scheduleTask(deadline: due) { self.ask() }
    }

    /// Once this pass over the sockets is done: what comes together is asked together.
    private func askAtOnce() {
        pause = nil
        eventLoop.assumeIsolated().execute { self.ask() }
    }

    private func ask() {
        // A pause that is over already can't be cancelled any more.
        guard isDue else { return }
        (isDue, pause) = (false, nil)
        let asking = waiting
        last = (asking.count, eventLoop.now)
        waiting.removeAll(keepingCapacity: true)
        let wanted = asking.map(\.wanted)
        eventLoop.makeFutureWithTask { [finder] in
            await finder.find(wanted)
        }.assumeIsolated().whenSuccess { found in
            self.tell(asking.map(\.handler), found)
        }
    }

    private func tell(_ handlers: [IngestHandler], _ found: [ReadyFile?]) {
        for (handler, file) in zip(handlers, found) { handler.found(file) }
        if waiting.isEmpty {
            isAsking = false
        } else {
            askSoon()
        }
    }
}
