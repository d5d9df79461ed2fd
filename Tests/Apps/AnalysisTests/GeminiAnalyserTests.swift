import AsyncHTTPClient
import Foundation
import Gemini
import GeminiSupport
import NIOHTTP1
import TestSupport
import Testing

@testable import Analysis

@Suite(.timeLimit(.minutes(10))) struct GeminiAnalyserTests {
    static let good = """
        {"imageSummary":"Two people at a table.","themes":["Coffee","Work"],"mood":"Happy",
        "location":"the coffee shop","detectedFaces":[{"description":"a man with a beard",
        "possibleName":"John","confidence":0.75}],"mentionedNames":["John"],
        "keyMoment":"Met John."}
        """

    private static func changed(_ old: String, _ new: String) -> ScriptedServer.Answer {
        precondition(good.contains(old), "BUG: \(old)")
        return .model(good.replacingOccurrences(of: old, with: new))
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
        configuration.tryTimeout = .seconds(100)
        configuration.totalTimeout = .seconds(200)
        change(&configuration)
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: GeminiClient.httpConfiguration)
        let analyser = GeminiAnalyser(GeminiClient(configuration, client: client))
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
            [.model(Self.good)], image: TestImage.jpeg())
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

    @Test func `a file that is not an image, or is too large, is not sent`() async throws {
        for image in [[1, 2, 3], TestImage.jpeg()] {
            let (outcome, requests) = try await asked(
                [.model(Self.good)], image: image
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
        "not json", "{}", "[]", #"{"candidates":[]}"#, ModelAnswer.wrapped("not json"),
        ModelAnswer.wrapped("{}"),
        ModelAnswer.wrapped(good.replacingOccurrences(of: "0.75", with: "\"high\"")),
        ModelAnswer.wrapped(good.replacingOccurrences(of: "[\"John\"]", with: "\"John\"")),
        ModelAnswer.wrapped(good.replacingOccurrences(of: "\"mood\":\"Happy\",", with: "")),
    ])
    func `answers of another form are refused`(_ body: String) async throws {
        let (outcome, requests) = try await asked([.json(body)])
        #expect(outcome == .failure(.model(.answerMalformed)))
        #expect(requests.count == 1)
    }

    @Test func `a model that declines is not asked again`() async throws {
        let cut = try await asked([.model("{\"themes\":[", reason: "MAX_TOKENS")])
        #expect(cut.0 == .failure(.model(.declined("MAX_TOKENS"))))
        let blocked = try await asked([.json(#"{"promptFeedback":{"blockReason":"SAFETY"}}"#)])
        #expect(blocked.0 == .failure(.model(.declined("SAFETY"))))
        #expect(blocked.1.count == 1)
        let strange = try await asked([.model("", reason: "because of Anna")])
        #expect(strange.0 == .failure(.model(.declined("OTHER"))))
    }

    @Test func `the client's failure is passed on, in words without secrets`() async throws {
        let (busy, _) = try await asked([
            .send(status: .tooManyRequests, headers: [("Retry-After", "3600")], body: [])
        ])
        let failure = AnalyserFailure.model(.status(429, retryAfter: .seconds(3600)))
        #expect(busy == .failure(failure))
        #expect(failure.word == "http_429" && failure.retryAfter == .seconds(3600))
        let (refused, _) = try await asked([.json("secret-key Met John.", status: .forbidden)])
        #expect(!"\(refused)".contains("secret-key") && !"\(refused)".contains("John"))
        #expect(AnalyserFailure.answerInvalid(.confidence).word == "answer_invalid")
    }
}
