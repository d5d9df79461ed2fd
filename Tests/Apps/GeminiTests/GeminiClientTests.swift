import AsyncHTTPClient
import Foundation
import GeminiSupport
import NIOHTTP1
import Testing

@testable import Gemini

/// The client against a server that fails in every way.
@Suite(.timeLimit(.minutes(10))) struct GeminiClientTests {
    private struct Fact: Codable, Equatable {
        var word: String
        var count: Int
    }

    private static let good = #"{"word":"Anna","count":3}"#
    private static let question = GeminiQuestion(
        instruction: "Say it.",
        parts: [.text("secret-note"), .file(contentType: "a/b", bytes: [1])],
        schema: .object(["word": .word(of: ["Anna"]), "count": .number(0...9)]))

    private func asked(
        _ answers: [ScriptedServer.Answer], of other: ScriptedServer? = nil,
        within limit: Duration? = nil, _ change: (inout GeminiConfiguration) -> Void = { _ in }
    ) async throws -> (Result<Fact, GeminiFailure>, [ScriptedServer.Request]) {
        let server: ScriptedServer
        if let other { server = other } else { server = try await ScriptedServer(answers) }
        var configuration = GeminiConfiguration()
        configuration.key = "secret-key"
        configuration.baseURL = server.baseURL
        configuration.pause = .milliseconds(5)
        // For a machine that stalls; tests of time limits set their own.
        configuration.tryTimeout = .seconds(100)
        configuration.totalTimeout = .seconds(200)
        change(&configuration)
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: GeminiClient.httpConfiguration)
        let client = GeminiClient(configuration, client: http)
        let outcome: Result<Fact, GeminiFailure>
        do throws(GeminiFailure) {
            outcome = .success(try await client.ask(Self.question, as: Fact.self, within: limit))
        } catch {
            outcome = .failure(error)
        }
        try await http.shutdown()
        try await server.close()
        return (outcome, server.requests)
    }

    @Test func `a question goes out with key, data and schema, and comes back decoded`()
        async throws
    {
        let (outcome, requests) = try await asked([.model(Self.good)])
        #expect(outcome == .success(Fact(word: "Anna", count: 3)))
        #expect(requests.count == 1)
        let request = try #require(requests.first)
        #expect(request.method == .POST)
        #expect(request.uri == "/v1beta/models/gemini-2.5-flash:generateContent")
        #expect(request.headers.first(name: "x-goog-api-key") == "secret-key")
        let text = String(decoding: request.body, as: UTF8.self)
        #expect(!text.contains("secret-key"))
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
        let contents = try #require((body["contents"] as? [[String: Any]])?.first)
        let parts = try #require(contents["parts"] as? [[String: Any]])
        #expect(parts[0]["text"] as? String == "secret-note")
        #expect(
            parts[1]["inline_data"] as? [String: String] == ["mime_type": "a/b", "data": "AQ=="])
        let generation = try #require(body["generationConfig"] as? [String: Any])
        #expect(generation["responseMimeType"] as? String == "application/json")
        let schema = try #require(generation["responseSchema"] as? [String: Any])
        #expect(schema["type"] as? String == "OBJECT")
        #expect(schema["required"] as? [String] == ["count", "word"])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect(properties["word"]?["enum"] as? [String] == ["Anna"])
        #expect(properties["count"]?["maximum"] as? Double == 9)
        // The data is not among the instructions.
        let instruction = try #require(body["systemInstruction"] as? [String: Any])
        #expect(!"\(instruction)".contains("secret-note"))
    }

    @Test func `a base URL may end in a slash`() async throws {
        let (outcome, requests) = try await asked([.model(Self.good)]) { $0.baseURL += "/" }
        #expect(throws: Never.self) { try outcome.get() }
        #expect(requests.first?.uri == "/v1beta/models/gemini-2.5-flash:generateContent")
    }

    @Test(arguments: [
        "", "not json", "{}", "[]", #"{"candidates":[]}"#, #"{"candidates":[{"content":{}}]}"#,
        ModelAnswer.wrapped("not json"), ModelAnswer.wrapped("{}"),
        ModelAnswer.wrapped(#"{"word":"Anna","count":"3"}"#),
        ModelAnswer.wrapped(#"{"word":"Anna","count":1e999}"#),
        ModelAnswer.wrapped(#"{"word":"Anna","count":3"#),
        ModelAnswer.wrapped("```json\n{\"word\":\"Anna\",\"count\":3}\n```"),
        String(ModelAnswer.wrapped(good).dropLast(20)),
    ])
    func `answers of another form are refused, and the question is not repeated`(
        _ body: String
    ) async throws {
        let (outcome, requests) = try await asked([.json(body)])
        #expect(outcome == .failure(.answerMalformed))
        #expect(requests.count == 1)
    }

    @Test func `a model's thoughts are not part of its answer`() async throws {
        let quoted = String(decoding: try JSONEncoder().encode(Self.good), as: UTF8.self)
        let (outcome, _) = try await asked([
            .json(
                #"{"candidates":[{"content":{"parts":[{"text":"{","thought":true},"#
                    + #"{"text":\#(quoted)}]}}]}"#)
        ])
        #expect(throws: Never.self) { try outcome.get() }
    }

    @Test func `a model that declines is not asked again`() async throws {
        let cut = try await asked([.model("{\"word\":[", reason: "MAX_TOKENS")])
        #expect(cut.0 == .failure(.declined("MAX_TOKENS")))
        let blocked = try await asked([.json(#"{"promptFeedback":{"blockReason":"SAFETY"}}"#)])
        #expect(blocked.0 == .failure(.declined("SAFETY")))
        #expect(blocked.1.count == 1)
        let strange = try await asked([.model("", reason: "because of Anna")])
        #expect(strange.0 == .failure(.declined("OTHER")))
    }

    @Test func `a busy service is asked again, but not before its Retry-After`() async throws {
        let start = ContinuousClock.now
        let (outcome, requests) = try await asked([
            .send(status: .tooManyRequests, headers: [("retry-after", "1")], body: []),
            .send(status: .serviceUnavailable, headers: [], body: Array("{}".utf8)),
            .model(Self.good),
        ])
        #expect(throws: Never.self) { try outcome.get() }
        #expect(requests.count == 3)
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test func `a long Retry-After is returned instead of waited for`() async throws {
        let (outcome, requests) = try await asked([
            .send(status: .tooManyRequests, headers: [("Retry-After", "3600")], body: [])
        ])
        #expect(outcome == .failure(.status(429, retryAfter: .seconds(3600))))
        #expect(requests.count == 1)
    }

    @Test func `a failing service is given up after three tries`() async throws {
        let (outcome, requests) = try await asked([.json("{}", status: .internalServerError)])
        #expect(outcome == .failure(.status(500, retryAfter: nil)))
        #expect(requests.count == 3)
    }

    @Test(arguments: [301, 400, 401, 403, 404])
    func `a refused question is not repeated, here or elsewhere`(_ status: Int) async throws {
        let (outcome, requests) = try await asked([
            .send(
                status: HTTPResponseStatus(statusCode: status),
                headers: [("location", "http://127.0.0.1:9/")], body: [])
        ])
        #expect(outcome == .failure(.status(status, retryAfter: nil)))
        #expect(requests.count == 1)
    }

    @Test(arguments: [ScriptedServer.Answer.hang, .stall])
    func `a service that falls silent costs one timeout for each try`(
        _ answer: ScriptedServer.Answer
    ) async throws {
        // If the machine stalls, a try may end before the service receives it; then the test
        // repeats with longer timeouts.
        for tryTimeout: Duration in [.milliseconds(300), .seconds(3), .seconds(20)] {
            let (outcome, requests) = try await asked([answer]) {
                $0.tryTimeout = tryTimeout
                $0.triesMax = 2
            }
            #expect(outcome == .failure(.timedOut))
            #expect(requests.count <= 2)
            if requests.count == 2 { return }
        }
        Issue.record("never two tries")
    }

    /// A client that used the longer limits would wait for an hour.
    @Test(arguments: [Duration.seconds(3600), .milliseconds(400)])
    func `all tries together have a limit, and a question may have a shorter one`(
        _ limit: Duration
    ) async throws {
        let (outcome, _) = try await asked([.hang], within: limit) {
            $0.tryTimeout = .seconds(3600)
            $0.totalTimeout = limit > .seconds(1) ? .milliseconds(400) : .seconds(3600)
        }
        #expect(outcome == .failure(.timedOut))
    }

    @Test func `a connection that is cut is tried again`() async throws {
        let (outcome, requests) = try await asked([.cut, .model(Self.good)])
        #expect(throws: Never.self) { try outcome.get() }
        #expect(requests.count == 2)
    }

    @Test func `a huge answer is refused at the limit`() async throws {
        let (outcome, requests) = try await asked([.flood])
        #expect(outcome == .failure(.answerTooLarge(bytesMax: 1 << 20)))
        #expect(requests.count == 1)
        let large = [UInt8](repeating: 32, count: (1 << 20) + 1)
        let (other, _) = try await asked([.send(status: .ok, headers: [], body: large)])
        #expect(other == .failure(.answerTooLarge(bytesMax: 1 << 20)))
    }

    @Test func `an unreachable service is an error`() async throws {
        let (outcome, requests) = try await asked([.hang]) { $0.baseURL = "http://127.0.0.1:9" }
        #expect(outcome == .failure(.unreachable))
        #expect(requests.isEmpty)
    }

    @Test func `with an exhausted budget no request is sent`() async throws {
        let (outcome, requests) = try await asked([.json("{}", status: .badGateway)]) {
            $0.requestsPerMinuteMax = 2
        }
        guard case .failure(.budgetUsedUp(let wait)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(wait > .zero && wait <= .seconds(60))
        #expect(requests.count == 2)
    }

    @Test func `copies of a client share one budget`() async throws {
        let server = try await ScriptedServer([.model(Self.good)])
        var configuration = GeminiConfiguration()
        configuration.key = "secret-key"
        configuration.baseURL = server.baseURL
        configuration.requestsPerDayMax = 1
        let http = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: GeminiClient.httpConfiguration)
        let one = GeminiClient(configuration, client: http)
        let other = one
        _ = try await one.ask(Self.question, as: Fact.self)
        await #expect(throws: GeminiFailure.self) {
            try await other.ask(Self.question, as: Fact.self)
        }
        #expect(server.requests.count == 1)
        try await http.shutdown()
        try await server.close()
    }

    @Test func `a cancelled question ends at once`() async throws {
        let server = try await ScriptedServer([.hang])
        let task = Task {
            try await asked([], of: server) {
                $0.tryTimeout = .seconds(3600)
                $0.totalTimeout = .seconds(3600)
            }
        }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        #expect(try await task.value.0 == .failure(.cancelled))
    }

    @Test func `a failure never carries a secret`() async throws {
        let (outcome, _) = try await asked([.json("secret-key secret-note", status: .forbidden)])
        var configuration = GeminiConfiguration()
        configuration.key = "secret-key"
        var dumped = ""
        dump(configuration, to: &dumped)
        let text = "\(outcome) \(configuration) \(String(reflecting: configuration)) \(dumped)"
        #expect(!text.contains("secret"))
        for failure: GeminiFailure in [
            .status(500, retryAfter: nil), .declined("SAFETY"), .answerTooLarge(bytesMax: 1),
        ] {
            #expect(failure.word.utf8.allSatisfy { $0 != 32 })
        }
    }

    @Test func `work that is cancelled has not exceeded its time limit`() async {
        for _ in 0..<200 {
            let task = Task {
                try await withTimeLimit(.seconds(600)) { try await Task.sleep(for: .seconds(600)) }
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
