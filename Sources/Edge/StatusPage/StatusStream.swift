import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Status
import Synchronization

/// Reports as server-sent events (HTML Standard, section 9.2), to one who watches. The history comes
/// first, as an event of its own.
///
/// What waits for a slow reader is what its connection's buffer holds and one report, the newest;
/// who doesn't read at all is closed after ``EdgeConfiguration/sendTimeout``. The stream ends with
/// the server, which waits for no reader longer than ``endWithin``, and with what let him in.
struct StatusStream: Sendable {
    /// Without a report for so long a comment is sent, so that nobody in between calls the connection
    /// idle.
    private static let silenceMax = Duration.seconds(5)
    /// What a reader has for the rest when the server stops.
    private static let endWithin = Duration.seconds(1)

    private enum Beat: Sendable {
        case report(String)
        /// Every ``silenceMax``.
        case tick
    }

    private let feed: any StatusFeed
    private let place: StatusWatchers.Place
    private let channel: any Channel
    private let isAllowed: @Sendable () async -> Bool

    /// - Parameters:
    ///   - place: held until the stream has ended.
    ///   - isAllowed: asked with every report.
    init(
        _ feed: any StatusFeed, _ place: StatusWatchers.Place, on channel: any Channel,
        while isAllowed: @escaping @Sendable () async -> Bool
    ) {
        self.feed = feed
        self.place = place
        self.channel = channel
        self.isAllowed = isAllowed
    }

    var response: Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
                // nginx would collect what it is to pass on.
                HTTPField.Name("X-Accel-Buffering")!: "no",
            ],
            body: ResponseBody { writer in
                try await write(to: &writer)
                try await writer.finish(nil)
            })
    }

    private func write(to writer: inout any ResponseBodyWriter) async throws {
        let (beats, beat) = AsyncStream.makeStream(
            of: Beat.self, bufferingPolicy: .bufferingNewest(1))
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        if let history = feed.history() {
            try await writer.write(
                ByteBuffer(string: "event: history\ndata: \(history)\n\n"))
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { await listen(beat) }
            tasks.addTask { await tick(beat) }
            tasks.addTask { await endWithServer(beat) }
            var count = 0
            var countAtTick = 0
            for await beat in beats {
                switch beat {
                case .report(let text):
                    count += 1
                    try await writer.write(
                        ByteBuffer(string: "id: \(count)\nevent: report\ndata: \(text)\n\n"))
                case .tick:
                    if count == countAtTick {
                        try await writer.write(ByteBuffer(string: ": no report\n\n"))
                    }
                    countAtTick = count
                }
            }
        }
    }

    private func listen(_ beat: AsyncStream<Beat>.Continuation) async {
        for await report in feed.reports() {
            guard await isAllowed() else { break }
            beat.yield(.report(report))
        }
        beat.finish()
    }

    private func tick(_ beat: AsyncStream<Beat>.Continuation) async {
        while (try? await Task.sleep(for: Self.silenceMax)) != nil { beat.yield(.tick) }
    }

    /// Who doesn't take what there is when the server stops is cut off.
    private func endWithServer(_ beat: AsyncStream<Beat>.Continuation) async {
        do {
            try await gracefulShutdown()
            beat.finish()
            try await Task.sleep(for: Self.endWithin)
        } catch {
            return
        }
        channel.close(promise: nil)
    }
}

/// Places for those who watch.
final class StatusWatchers: Sendable {
    private let max: Int
    private let count = Atomic(0)

    init(max: Int) {
        self.max = max
    }

    /// Given back when the last reference to it goes.
    final class Place: Sendable {
        private let watchers: StatusWatchers

        fileprivate init(_ watchers: StatusWatchers) {
            self.watchers = watchers
        }

        deinit {
            watchers.count.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// - Returns: nil when all are taken.
    func take() -> Place? {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue <= max else {
            count.wrappingSubtract(1, ordering: .relaxed)
            return nil
        }
        return Place(self)
    }
}
