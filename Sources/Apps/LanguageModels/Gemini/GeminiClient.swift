public import AsyncHTTPClient
import Foundation
package import NIOCore
import NIOHTTP1
import Times

/// Asks a model behind the Gemini REST interface: instruction, text and images in, JSON by a schema
/// out. What is asked, and what an answer must keep to, is the caller's.
///
/// ```
/// GeminiQuestion ──▶ GeminiRequest ──POST generateContent──▶ GeminiAnswer ──▶ the caller's type
/// ```
///
/// **Bounds.** A try takes at most ``GeminiConfiguration/tryTimeout``, all of them together
/// ``GeminiConfiguration/totalTimeout`` or less if the caller says so; an answer has at most
/// ``GeminiConfiguration/answerBytesMax``; every request is taken from a budget a minute and a day,
/// which all copies of a client share.
///
/// **Again.** Status 429 and 5xx, broken connections and time-outs are tried again after a pause
/// that doubles, or after the service's `Retry-After` when that is longer and there is time. Other
/// statuses and answers that break the rules are not: the same question would cost the same.
///
/// **Trust.** What the model says is data: it has to parse as what was asked for. The key is sent as
/// a header; neither it nor any text of request or answer is part of an error or a log.
///
/// **After a crash** nothing is left: a question that had no answer is the caller's to ask again,
/// and the budget begins anew.
public struct GeminiClient: Sendable {
    private let configuration: GeminiConfiguration
    private let client: HTTPClient
    private let budget: GeminiBudget
    private let url: String

    /// - Parameters:
    ///   - configuration: with a key.
    ///   - client: lent; whoever made it shuts it down. With ``httpConfiguration``.
    public init(_ configuration: GeminiConfiguration, client: HTTPClient) {
        precondition(!configuration.key.isEmpty, "BUG: no key")
        precondition(configuration.triesMax > 0, "BUG: no try")
        self.configuration = configuration
        self.client = client
        budget = GeminiBudget(
            perMinuteMax: configuration.requestsPerMinuteMax,
            perDayMax: configuration.requestsPerDayMax)
        let base =
            configuration.baseURL.hasSuffix("/")
            ? String(configuration.baseURL.dropLast()) : configuration.baseURL
        url = "\(base)/v1beta/models/\(configuration.model):generateContent"
    }

    /// For the HTTP client: follows no redirects, for the key would go along, and leaves it to this
    /// one whether to connect again.
    public static var httpConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// A larger image is better left out of a question.
    public var imageBytesMax: Int { configuration.imageBytesMax }

    /// One question, and up to ``GeminiConfiguration/triesMax`` requests.
    ///
    /// - Parameters:
    ///   - answer: what the model's JSON is decoded as; keys that it does not know are passed over.
    ///   - limit: for all tries together, when it is less than the configuration's.
    public func ask<Answer: Decodable>(
        _ question: GeminiQuestion, as answer: Answer.Type, within limit: Duration? = nil
    ) async throws(GeminiFailure) -> Answer {
        let request = request(question)
        let total = min(configuration.totalTimeout, limit ?? configuration.totalTimeout)
        let end = ContinuousClock.now + total
        var pause = configuration.pause
        var tries = 0
        while true {
            if let wait = budget.take() { throw .budgetUsedUp(retryAfter: wait) }
            tries += 1
            let failure: GeminiFailure
            do throws(GeminiFailure) {
                let limit = min(configuration.tryTimeout, end - .now)
                let text = try GeminiAnswer.text(in: await send(request, limit))
                guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8))
                else { throw .answerMalformed }
                return answer
            } catch {
                failure = error
            }
            guard failure.mayPass, tries < configuration.triesMax else { throw failure }
            let chance = pause * Double.random(in: 1...1.5)
            let wait = max(chance, failure.retryAfter ?? .zero)
            guard .now + wait < end else { throw failure }
            do {
                try await Task.sleep(for: wait)
            } catch {
                throw .cancelled
            }
            pause *= 2
        }
    }

    private func request(_ question: GeminiQuestion) -> HTTPClientRequest {
        let body = GeminiRequest(question).encoded()
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "x-goog-api-key", value: configuration.key)
        request.body = .bytes(body, length: .known(Int64(body.count)))
        return request
    }

    /// One try. The time-out covers the body too.
    private func send(
        _ request: HTTPClientRequest, _ limit: Duration
    ) async throws(GeminiFailure) -> [UInt8] {
        let (client, bytesMax) = (client, configuration.answerBytesMax)
        do {
            return try await withTimeLimit(limit) {
                let response = try await client.execute(request, timeout: .limit(limit))
                guard response.status == .ok else {
                    throw GeminiFailure.status(
                        Int(response.status.code),
                        retryAfter: RetryAfter.wait(response.headers.first(name: "retry-after")))
                }
                let body = try await response.body.collect(upTo: bytesMax)
                return Array(body.readableBytesView)
            }
        } catch let error as GeminiFailure {
            throw error
        } catch is NIOTooManyBytesError {
            throw .answerTooLarge(bytesMax: bytesMax)
        } catch is TimeLimitExceeded {
            throw .timedOut
        } catch let error as HTTPClientError where Self.isTimeOut(error) {
            throw .timedOut
        } catch {
            throw Task.isCancelled ? .cancelled : .unreachable
        }
    }

    private static func isTimeOut(_ error: HTTPClientError) -> Bool {
        [.deadlineExceeded, .readTimeout, .connectTimeout].contains(error)
    }
}

/// Why a model has not answered. Carries nothing of the request, its key or the answer's text.
public enum GeminiFailure: Error, Equatable, Sendable {
    /// The budget of requests is used up for that long.
    case budgetUsedUp(retryAfter: Duration)
    /// The service answered with this status, last of all tries; it may have said how long to wait.
    case status(Int, retryAfter: Duration?)
    /// No whole answer in time.
    case timedOut
    /// No connection, or it ended early.
    case unreachable
    /// The answer has more bytes than the limit.
    case answerTooLarge(bytesMax: Int)
    /// The answer is not what the service's own documentation says, not JSON, or not of the form
    /// that was asked for.
    case answerMalformed
    /// The model would not answer: its word for why, such as `SAFETY` or `MAX_TOKENS`.
    case declined(String)
    /// The task was cancelled while the model was asked.
    case cancelled

    /// For logs and tables: short, stable, without secrets.
    public var word: String {
        switch self {
        case .budgetUsedUp: "budget_used_up"
        case .status(let status, _): "http_\(status)"
        case .timedOut: "timed_out"
        case .unreachable: "unreachable"
        case .answerTooLarge: "answer_too_large"
        case .answerMalformed: "answer_malformed"
        case .declined(let reason): "declined_\(reason.lowercased().prefix(64))"
        case .cancelled: "cancelled"
        }
    }

    /// How long the service, or the budget, asks us to stay away.
    public var retryAfter: Duration? {
        switch self {
        case .budgetUsedUp(let wait): wait
        case .status(_, let wait): wait
        default: nil
        }
    }

    /// The same request may have another answer in a second.
    var mayPass: Bool {
        switch self {
        case .status(let status, _): status == 429 || (500...599).contains(status)
        case .timedOut, .unreachable: true
        default: false
        }
    }
}

/// The header `Retry-After`.
///
/// - Source: RFC 9110, section 10.2.3: seconds, or a date.
enum RetryAfter {
    /// Nil when the header is not there or is neither of the two; at most a day.
    static func wait(_ header: String?, now: Date = Date()) -> Duration? {
        guard let header = header?.trimmingCharacters(in: .whitespaces), header.count < 64 else {
            return nil
        }
        let dayMax = 86_400.0
        if !header.isEmpty, header.utf8.allSatisfy({ (48...57).contains($0) }) {
            return .seconds(min(Double(header) ?? dayMax, dayMax))
        }
        guard let end = HTTPDate.unixSeconds(header) else { return nil }
        return .seconds(min(max(0, Double(end) - now.timeIntervalSince1970), dayMax))
    }
}

/// The work took longer than it may.
package struct TimeLimitExceeded: Error {}

/// Runs `work`, and cancels it when `limit` has passed.
///
/// - Throws: what `work` throws, or ``TimeLimitExceeded``; `work` has ended in both cases.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try? await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        while let outcome = try await group.next() {
            guard let value = outcome else { throw TimeLimitExceeded() }
            return value
        }
        throw TimeLimitExceeded()
    }
}

extension TimeAmount {
    /// For a client that also wants a limit; never negative.
    package static func limit(_ duration: Duration) -> TimeAmount {
        .nanoseconds(Int64(max(duration, .zero) / .nanoseconds(1)))
    }
}
