import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Status

/// Reports as server-sent events (HTML Standard, section 9.2) for one watcher. The history comes
/// first, as an event of its own.
///
/// For a slow reader, only its connection's buffer and the newest report are kept. A reader that
/// takes nothing for ``HTTPConfiguration/sendTimeout`` is cut off. The stream ends when the server
/// stops, which waits at most ``endWithin`` for a reader, and when the watcher's pass is no longer
/// valid.
struct StatusStream: Sendable {
    /// After this time without a report a comment is sent, so that no proxy considers the
    /// connection idle.
    private static let silenceMax = Duration.seconds(5)
    /// Time for a reader to take the rest when the server stops.
    private static let endWithin = Duration.seconds(1)

    private enum Beat: Sendable {
        case report(String)
        /// Sent every ``silenceMax``.
        case tick
    }

    private let feed: any StatusFeed
    private let place: PlaceCounter<ClientAddress>.Place
    private let channel: any Channel
    private let isAllowed: @Sendable () async -> Bool

    /// - Parameters:
    ///   - place: held until the stream has ended.
    ///   - isAllowed: checked with every report.
    init(
        _ feed: any StatusFeed, _ place: PlaceCounter<ClientAddress>.Place, on channel: any Channel,
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
                // nginx would buffer the stream.
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

    /// Cuts off a reader that does not take the rest in time when the server stops.
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
