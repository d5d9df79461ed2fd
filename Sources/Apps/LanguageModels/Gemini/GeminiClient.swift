public import AsyncHTTPClient
import Foundation
package import NIOCore
import NIOHTTP1
import Times

/// Asks a model over the Gemini REST interface: instruction, text and images in, JSON by a schema
/// out. The caller chooses the question and the rules for the answer.
///
/// ```
/// GeminiQuestion ──▶ GeminiRequest ──POST generateContent──▶ GeminiAnswer ──▶ the caller's type
/// ```
///
/// **Limits.** A try takes at most ``GeminiConfiguration/tryTimeout``. All tries together take at
/// most ``GeminiConfiguration/totalTimeout``, or less if the caller says so. An answer has at most
/// ``GeminiConfiguration/answerBytesMax``. Every request is taken from a budget a minute and a day,
/// which all copies of a client share.
///
/// **Retries.** Status 429 and 5xx, broken connections and time-outs are retried after a pause that
/// doubles, or after the service's `Retry-After` if that is longer and the time limit allows it.
/// Other statuses and malformed answers are not retried, because the same question would cost the
/// same again.
///
/// **Trust.** The model's answer is data: it must decode as the type that the caller asks for. The
/// key is sent as a header. Neither the key nor any text of a request or an answer is part of an
/// error or a log.
///
/// **A crash** loses the questions that are not answered yet, which the caller may ask again, and
/// resets the budget.
public struct GeminiClient: Sendable {
    private let configuration: GeminiConfiguration
    private let client: HTTPClient
    private let budget: GeminiBudget
    private let url: String

    /// - Parameters:
    ///   - configuration: must have a key.
    ///   - client: borrowed; its creator shuts it down. It should have ``httpConfiguration``.
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

    /// The configuration for the HTTP client. It follows no redirects, because the key would be
    /// sent along, and does not retry connections, because this client retries.
    public static var httpConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// The size limit of an image in bytes. Callers should leave a larger image out of a question.
    public var imageBytesMax: Int { configuration.imageBytesMax }

    /// Asks one question, in up to ``GeminiConfiguration/triesMax`` requests.
    ///
    /// - Parameters:
    ///   - answer: the type that the model's JSON is decoded as; unknown keys are ignored.
    ///   - limit: the time limit for all tries together, if it is shorter than the configuration's.
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

    /// One try. The time limit includes reading the body.
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

/// Runs `work` and cancels it after `limit`.
///
/// - Throws: what `work` throws, or ``TimeLimitExceeded``; `work` has ended in both cases. If the
///   caller's task is cancelled, what `work` throws or `CancellationError`.
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
            if let value = outcome { return value }
            // A sleep also ends when the task is cancelled.
            try Task.checkCancellation()
            throw TimeLimitExceeded()
        }
        throw TimeLimitExceeded()
    }
}

extension TimeAmount {
    /// A time-out for `HTTPClient`; never negative.
    package static func limit(_ duration: Duration) -> TimeAmount {
        .nanoseconds(Int64(max(duration, .zero) / .nanoseconds(1)))
    }
}
