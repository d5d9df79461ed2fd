public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Sends readings to a Sluice server, each once, whatever happens to the app, the device, the
/// network or the server meanwhile.
///
/// Readings go to a ``ReadingQueue`` first. ``send()`` sends all that is there, ``run()`` does so
/// again and again. Nothing is kept in memory: any of them may be cancelled or killed at any time.
///
/// What an answer does to a batch: 200 and 202 delete it, 400, 413 and 422 cut it down to the
/// reading that is wrong, which is moved aside with the answer. 403 leaves it where it is and sends
/// the others. Anything else, an answer that is not Sluice's, no answer, and a full disk leave all as
/// it is until `Retry-After`, or a random time that doubles.
public final class TelemetryClient: Sendable {
    /// Where and how to send.
    public struct Configuration: Sendable {
        /// The whole address, such as `https://host/ingest`.
        public var url: URL
        /// An API key, or a user's token, sent as `Authorization: Bearer`.
        public var key: String
        /// Sends bodies as gzip, a tenth of the bytes.
        public var compresses = true
        /// Seconds to wait for an answer.
        public var timeoutSeconds = 60.0
        /// Seconds from one pass of ``TelemetryClient/run()`` to the next.
        public var intervalSeconds = 5.0
        /// The longest time in seconds between attempts, unless the server asks for more.
        public var pauseSecondsMax = 300.0

        /// With the defaults of the other properties.
        public init(url: URL, key: String) {
            (self.url, self.key) = (url, key)
        }
    }

    /// The readings that no server has yet.
    public let queue: ReadingQueue
    private let configuration: Configuration
    private let session: URLSession

    /// - Parameter session: without cookies and caches by default.
    public init(
        _ configuration: Configuration, queue: ReadingQueue,
        session: URLSession = URLSession(configuration: .ephemeral)
    ) {
        (self.configuration, self.queue, self.session) = (configuration, queue, session)
    }

    /// Queues readings. Returns when they are on the disk.
    ///
    /// - Parameters:
    ///   - readings: each is encoded once and sent with these bytes, so a time must be part of it.
    ///   - metadata: `device_id`, and `user_id`, `version`, `model_name` if known, for good: a batch
    ///     belongs to the user whom it named when it was queued.
    /// - Throws: ``QueueError``, and what `JSONEncoder` throws, such as for a number that is not
    ///   finite. Then none of them is queued.
    public func append(_ readings: [some Encodable], metadata: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try queue.append(
            readings.map { try encoder.encode($0) }, metadata: encoder.encode(metadata))
    }

    /// Sends until the queue is empty, something must be waited for, or the task is cancelled.
    public func send() async -> Delivery {
        var delivery = Delivery()
        do {
            try await send(&delivery)
        } catch {
            // The disk is full, perhaps. Everything is still there.
            delivery.end = .later(reason: "the queue can't be changed: \(error)", afterSeconds: nil)
        }
        return delivery
    }

    private func send(_ delivery: inout Delivery) async throws {
        guard let right = try queue.claimSending() else {
            delivery.end = .yielded
            return
        }
        defer { withExtendedLifetime(right) {} }
        var held: Set<SegmentName> = []
        var forbidden: Set<Data?> = []
        var compresses = configuration.compresses
        while let segment = try queue.oldest(except: held) {
            if Task.isCancelled {
                delivery.end = .yielded
                return
            }
            if forbidden.contains(segment.text.metadata) {
                held.insert(segment.name)
                continue
            }
            switch await verdict(on: segment, compresses: compresses) {
            case .delivered(let receipt):
                try queue.delete(segment)
                delivery.receipt += receipt
            case .cut where segment.text.readings.count > 1:
                try queue.cut(segment)
            case .cut(let reason), .reject(let reason):
                try queue.reject(segment, reason: reason)
                delivery.rejected += segment.text.readings.count
            case .hold(let reason):
                forbidden.insert(segment.text.metadata)
                held.insert(segment.name)
                delivery.end = .later(reason: reason, afterSeconds: nil)
            case .uncompressed:
                compresses = false
            case .later(let reason, let seconds):
                delivery.end = .later(reason: reason, afterSeconds: seconds)
                return
            }
        }
    }

    /// Sends until the task is cancelled.
    ///
    /// - Parameter report: is told of each pass, such as to show why readings wait.
    public func run(_ report: @Sendable (Delivery) -> Void = { _ in }) async {
        var backoff = Backoff(secondsMax: configuration.pauseSecondsMax)
        while !Task.isCancelled {
            let delivery = await send()
            report(delivery)
            var wait = configuration.intervalSeconds
            if case .later(_, let seconds) = delivery.end {
                wait = backoff.next(atLeast: seconds, share: .random(in: 0...1))
            } else {
                backoff.reset()
            }
            do {
                try await Task.sleep(nanoseconds: UInt64(wait * 1e9))
            } catch {
                return
            }
        }
    }

    private func verdict(on segment: Segment, compresses: Bool) async -> Verdict {
        var request = URLRequest(
            url: configuration.url, cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: configuration.timeoutSeconds)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer \(configuration.key)", forHTTPHeaderField: "Authorization")
        let body = segment.text.body
        let compressed = compresses ? Gzip.compress(body) : nil
        if compressed != nil { request.setValue("gzip", forHTTPHeaderField: "Content-Encoding") }
        request.httpBody = compressed ?? body
        switch await Exchange.run(request, on: session, seconds: configuration.timeoutSeconds) {
        case .answer(let status, let retryAfter, let answer):
            return .on(
                status: status, retryAfter: retryAfter, body: answer,
                readings: segment.text.readings.count, isCompressed: compressed != nil)
        case .none(let reason):
            return .later(reason: reason, afterSeconds: nil)
        }
    }
}
