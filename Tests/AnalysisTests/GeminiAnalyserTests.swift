import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import Analysis

@Suite(.timeLimit(.minutes(2))) struct GeminiAnalyserTests {
    static let good = """
        {"imageSummary":"Two people at a table.","themes":["Coffee","Work"],"mood":"Happy",
        "location":"the coffee shop","detectedFaces":[{"description":"a man with a beard",
        "possibleName":"John","confidence":0.75}],"mentionedNames":["John"],
        "keyMoment":"Met John."}
        """

    /// An answer as the service wraps it.
    static func wrapped(_ text: String, reason: String = "STOP") -> String {
        let quoted = StoredJSON.text(text)
        return #"{"candidates":[{"content":{"role":"model","parts":[{"text":\#(quoted)}]},"#
            + #""finishReason":"\#(reason)","index":0}],"usageMetadata":{"totalTokenCount":9}}"#
    }

    private static func changed(_ old: String, _ new: String) -> ScriptedServer.Answer {
        precondition(good.contains(old), "BUG: \(old)")
        return .json(wrapped(good.replacingOccurrences(of: old, with: new)))
    }

    private func asked(
        _ answers: [ScriptedServer.Answer], image: [UInt8]? = nil,
        _ change: (inout GeminiConfiguration) -> Void = { _ in }
    ) async throws -> (Result<CaptureAnalysis, AnalyserFailure>, [ScriptedServer.Request]) {
        let server = try await ScriptedServer(answers)
        var configuration = GeminiConfiguration()
        configuration.key = "secret-key"
        configuration.baseURL = server.baseURL
        configuration.pause = .milliseconds(5)
        configuration.tryTimeout = .seconds(5)
        change(&configuration)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: GeminiAnalyser.clientConfiguration)
        let analyser = GeminiAnalyser(configuration, client: client)
        let outcome: Result<CaptureAnalysis, AnalyserFailure>
        do throws(AnalyserFailure) {
            outcome = .success(
                try await analyser.analyse(TestMoments.input("Met John.", image: image)))
        } catch {
            outcome = .failure(error)
        }
        try await client.shutdown()
        try await server.close()
        return (outcome, server.requests)
    }

    @Test func `a good answer becomes an analysis`() async throws {
        let (outcome, requests) = try await asked(
            [.json(Self.wrapped(Self.good))], image: TestImage.jpeg())
        let found = try outcome.get()
        #expect(found.themes == ["coffee", "work"])
        #expect(found.mood == "happy")
        #expect(found.detectedFaces.first?.possibleName == "John")
        let request = try #require(requests.first)
        #expect(requests.count == 1)
        #expect(request.method == .POST)
        #expect(request.uri == "/v1beta/models/gemini-2.5-flash:generateContent")
        #expect(request.headers.first(name: "x-goog-api-key") == "secret-key")
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
        let parts = try #require(
            ((body["contents"] as? [[String: Any]])?.first?["parts"]) as? [[String: Any]])
        #expect((parts[0]["text"] as? String)?.contains(#""transcription":"Met John.""#) == true)
        let blob = try #require(parts[1]["inline_data"] as? [String: String])
        #expect(blob["mime_type"] == "image/jpeg")
        #expect(Data(base64Encoded: blob["data"] ?? "") == Data(TestImage.jpeg()))
        let generation = try #require(body["generationConfig"] as? [String: Any])
        #expect(generation["responseMimeType"] as? String == "application/json")
        let schema = try #require(generation["responseSchema"] as? [String: Any])
        #expect((schema["required"] as? [String])?.count == 7)
        #expect(!String(decoding: request.body, as: UTF8.self).contains("secret-key"))
    }

    @Test func `what is no image, or is too large, is not sent`() async throws {
        for image in [[1, 2, 3], TestImage.jpeg()] {
            let (outcome, requests) = try await asked(
                [.json(Self.wrapped(Self.good))], image: image
            ) { $0.imageBytesMax = 100 }
            #expect(throws: Never.self) { try outcome.get() }
            #expect(!String(decoding: requests[0].body, as: UTF8.self).contains("inline_data"))
        }
    }

    @Test(arguments: [
        ("[\"Coffee\",\"Work\"]", "[\"Coffee\"]", AnalysisFault.count(.themes, 1)),
        ("[\"Coffee\",\"Work\"]", "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]", .count(.themes, 6)),
        ("[\"Coffee\",\"Work\"]", "[\"Coffee\",\"coffee\"]", .count(.themes, 1)),
        ("0.75", "1.5", .confidence), ("0.75", "-1", .confidence),
        ("\"Met John.\"", "\"\"", .length(.keyMoment, 0)),
        ("\"Met John.\"", "\"a\\u0000b\"", .controlCharacter(.keyMoment)),
        ("\"Happy\"", "\" \"", .length(.mood, 0)),
    ])
    func `answers that break a rule are refused`(
        _ old: String, _ new: String, _ fault: AnalysisFault
    ) async throws {
        let (outcome, requests) = try await asked([Self.changed(old, new)])
        #expect(outcome == .failure(.answerInvalid(fault)))
        #expect(requests.count == 1)
    }

    @Test(arguments: [
        "not json", "{}", "[]", #"{"candidates":[]}"#, wrapped("not json"), wrapped("{}"),
        wrapped(good.replacingOccurrences(of: "0.75", with: "\"high\"")),
        wrapped(good.replacingOccurrences(of: "[\"John\"]", with: "\"John\"")),
        wrapped(good.replacingOccurrences(of: "\"mood\":\"Happy\",", with: "")),
    ])
    func `answers of another form are refused`(_ body: String) async throws {
        let (outcome, requests) = try await asked([.json(body)])
        #expect(outcome == .failure(.answerMalformed))
        #expect(requests.count == 1)
    }

    @Test func `a model that declines is not asked again`() async throws {
        let cut = try await asked([.json(Self.wrapped("{\"themes\":[", reason: "MAX_TOKENS"))])
        #expect(cut.0 == .failure(.declined("MAX_TOKENS")))
        let blocked = try await asked([.json(#"{"promptFeedback":{"blockReason":"SAFETY"}}"#)])
        #expect(blocked.0 == .failure(.declined("SAFETY")))
        #expect(blocked.1.count == 1)
        let strange = try await asked([.json(Self.wrapped("", reason: "because of Anna"))])
        #expect(strange.0 == .failure(.declined("OTHER")))
    }

    @Test func `a busy service is asked again, but not before it wishes`() async throws {
        let start = ContinuousClock.now
        let (outcome, requests) = try await asked([
            .send(status: .tooManyRequests, headers: [("retry-after", "1")], body: []),
            .send(status: .serviceUnavailable, headers: [], body: Array("{}".utf8)),
            .json(Self.wrapped(Self.good)),
        ])
        #expect(throws: Never.self) { try outcome.get() }
        #expect(requests.count == 3)
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test func `a long Retry-After is handed on instead of waited for`() async throws {
        let start = ContinuousClock.now
        let (outcome, requests) = try await asked([
            .send(status: .tooManyRequests, headers: [("Retry-After", "3600")], body: [])
        ])
        #expect(outcome == .failure(.status(429, retryAfter: .seconds(3600))))
        #expect(requests.count == 1)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `a failing service is given up after three tries`() async throws {
        let (outcome, requests) = try await asked([.json("{}", status: .internalServerError)])
        #expect(outcome == .failure(.status(500, retryAfter: nil)))
        #expect(requests.count == 3)
    }

    @Test(arguments: [400, 401, 403, 404])
    func `a refused question is not repeated`(_ status: Int) async throws {
        let (outcome, requests) = try await asked([
            .json("{}", status: HTTPResponseStatus(statusCode: status))
        ])
        #expect(outcome == .failure(.status(status, retryAfter: nil)))
        #expect(requests.count == 1)
    }

    @Test(arguments: [ScriptedServer.Answer.hang, .stall])
    func `a service that falls silent costs one time-out a try`(
        _ answer: ScriptedServer.Answer
    ) async throws {
        let start = ContinuousClock.now
        let (outcome, requests) = try await asked([answer]) {
            $0.tryTimeout = .milliseconds(300)
            $0.triesMax = 2
        }
        #expect(outcome == .failure(.timedOut))
        #expect(requests.count == 2)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `all tries together have a limit`() async throws {
        let start = ContinuousClock.now
        let (outcome, _) = try await asked([.hang]) {
            $0.tryTimeout = .seconds(10)
            $0.totalTimeout = .milliseconds(500)
        }
        #expect(outcome == .failure(.timedOut))
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `a connection that is cut is tried again`() async throws {
        let (outcome, requests) = try await asked([.cut, .json(Self.wrapped(Self.good))])
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

    @Test func `nobody there is an error`() async throws {
        let (outcome, requests) = try await asked([.hang]) { $0.baseURL = "http://127.0.0.1:9" }
        #expect(outcome == .failure(.unreachable))
        #expect(requests.isEmpty)
    }

    @Test func `a budget that is used up asks nobody`() async throws {
        let (outcome, requests) = try await asked([.json("{}", status: .badGateway)]) {
            $0.requestsPerMinuteMax = 2
        }
        guard case .failure(.budgetUsedUp(let wait)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(wait > .seconds(50) && wait <= .seconds(60))
        #expect(requests.count == 2)
    }

    @Test func `a budget comes back a minute and a day later`() {
        let start = ContinuousClock.now
        let budget = GeminiBudget(perMinuteMax: 2, perDayMax: 3, now: start)
        #expect(budget.take(now: start) == nil)
        #expect(budget.take(now: start + .seconds(20)) == nil)
        #expect(budget.take(now: start + .seconds(30)) == .seconds(30))
        #expect(budget.take(now: start + .seconds(60)) == nil)
        #expect(budget.take(now: start + .seconds(200)) == .seconds(86_200))
        #expect(budget.take(now: start + .seconds(86_400)) == nil)
    }

    @Test func `a failure never carries a secret`() async throws {
        let (outcome, _) = try await asked([.json("secret-key Met John.", status: .forbidden)])
        var configuration = GeminiConfiguration()
        configuration.key = "secret-key"
        var dumped = ""
        dump(configuration, to: &dumped)
        let text = "\(outcome) \(configuration) \(String(reflecting: configuration)) \(dumped)"
        #expect(!text.contains("secret-key") && !text.contains("John"))
        for failure: AnalyserFailure in [
            .status(500, retryAfter: nil), .declined("SAFETY"), .answerInvalid(.confidence),
        ] {
            #expect(failure.word.utf8.allSatisfy { $0 != 32 })
        }
    }

    @Test(arguments: [
        ("7", 7.0), (" 7 ", 7), ("999999999999999999999", 86_400),
        ("Sat, 24 Jan 2026 15:30:30 GMT", 30), ("Sat, 24 Jan 2026 15:29:00 GMT", 0),
    ])
    func `Retry-After is seconds or a date`(_ header: String, _ seconds: Double) throws {
        let now = try #require(
            Calendar(identifier: .gregorian).date(
                from: DateComponents(
                    timeZone: .gmt, year: 2026, month: 1, day: 24, hour: 15, minute: 30)))
        #expect(RetryAfter.wait(header, now: now) == .seconds(seconds))
        #expect(RetryAfter.wait("soon") == nil)
        #expect(RetryAfter.wait("-1") == nil)
        #expect(RetryAfter.wait(nil) == nil)
    }
}
