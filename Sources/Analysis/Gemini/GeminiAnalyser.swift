public import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Asks a model behind the Gemini REST interface: photo and text in, JSON by a schema out.
///
/// **Bounds.** A try takes at most ``GeminiConfiguration/tryTimeout``, all of them together
/// ``GeminiConfiguration/totalTimeout``; an answer has at most
/// ``GeminiConfiguration/answerBytesMax``; every request is taken from a budget a minute and a day.
///
/// **Again.** Status 429 and 5xx, broken connections and time-outs are tried again after a pause
/// that doubles, or after the service's `Retry-After` when that is longer and there is time. Other
/// statuses and answers that break the rules are not: the same question would cost the same.
///
/// **Trust.** What the model says is data: it has to parse, and to keep to
/// ``CaptureAnalysis/Limits``. The key is sent as a header; neither it nor any text of request or
/// answer is part of an error or a log.
public struct GeminiAnalyser: Analyser {
    private let configuration: GeminiConfiguration
    private let client: HTTPClient
    private let budget: GeminiBudget
    private let url: String

    /// `gemini`
    public var name: String { "gemini" }

    /// - Parameters:
    ///   - configuration: with a key.
    ///   - client: lent; whoever made it shuts it down. With ``clientConfiguration``.
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

    /// For the client: follows no redirects, for the key would go along, and leaves it to the
    /// analyser whether to connect again.
    public static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// One question, and up to ``GeminiConfiguration/triesMax`` requests.
    public func analyse(
        _ input: AnalysisInput
    ) async throws(AnalyserFailure) -> CaptureAnalysis {
        let request: HTTPClientRequest
        do {
            request = try self.request(input)
        } catch {
            preconditionFailure("BUG: a request that can't be encoded")
        }
        let end = ContinuousClock.now + configuration.totalTimeout
        var pause = configuration.pause
        var tries = 0
        while true {
            if let wait = budget.take() { throw .budgetUsedUp(retryAfter: wait) }
            tries += 1
            let failure: AnalyserFailure
            do throws(AnalyserFailure) {
                let limit = min(configuration.tryTimeout, end - .now)
                return try await GeminiAnswer.analysis(in: ask(request, limit))
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

    private func request(_ input: AnalysisInput) throws -> HTTPClientRequest {
        let body = try GeminiRequest(input, imageBytesMax: configuration.imageBytesMax).encoded()
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "x-goog-api-key", value: configuration.key)
        request.body = .bytes(body, length: .known(Int64(body.count)))
        return request
    }

    /// One try. The time-out covers the body too.
    private func ask(
        _ request: HTTPClientRequest, _ limit: Duration
    ) async throws(AnalyserFailure) -> [UInt8] {
        let (client, bytesMax) = (client, configuration.answerBytesMax)
        do {
            return try await withTimeLimit(limit) {
                let response = try await client.execute(request, timeout: .limit(limit))
                guard response.status == .ok else {
                    throw AnalyserFailure.status(
                        Int(response.status.code),
                        retryAfter: RetryAfter.wait(response.headers.first(name: "retry-after")))
                }
                let body = try await response.body.collect(upTo: bytesMax)
                return Array(body.readableBytesView)
            }
        } catch let error as AnalyserFailure {
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

extension AnalyserFailure {
    /// The same request may have another answer in a second.
    var mayPass: Bool {
        switch self {
        case .status(let status, _): status == 429 || (500...599).contains(status)
        case .timedOut, .unreachable: true
        default: false
        }
    }
}
