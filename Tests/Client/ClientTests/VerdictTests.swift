import Foundation
import TestSupport
import Testing

@testable import SluiceClient

/// What an answer does to a batch. The Python client has the same cases.
@Suite struct VerdictTests {
    struct Case: Decodable, CustomTestStringConvertible {
        let status: Int
        let retryAfter: String?
        let isCompressed: Bool?
        let readings: Int?
        let body: String
        let verdict: String
        let seconds: Double?

        var testDescription: String { "\(status) \(retryAfter ?? "") \(body.prefix(40))" }
    }

    private static let cases: [Case] = {
        let file = Project.file("Tests/Client/ClientTests/Fixtures/verdicts.json")
        return (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: file))) ?? []
    }()

    @Test func `there are cases`() {
        #expect(Self.cases.count > 20)
    }

    @Test(arguments: cases)
    func `an answer`(_ example: Case) {
        let verdict = Verdict.on(
            status: example.status, retryAfter: example.retryAfter, body: Data(example.body.utf8),
            readings: example.readings ?? 3, isCompressed: example.isCompressed ?? false)
        switch verdict {
        case .delivered(let receipt):
            #expect(example.verdict == "delivered")
            #expect(receipt.records == 3)
            #expect(
                receipt.stored + receipt.duplicates + receipt.quarantined + receipt.spooled == 3)
        case .cut: #expect(example.verdict == "cut")
        case .reject: #expect(example.verdict == "reject")
        case .hold: #expect(example.verdict == "hold")
        case .uncompressed: #expect(example.verdict == "uncompressed")
        case .later(let reason, let seconds):
            #expect(example.verdict == "later")
            #expect(seconds == example.seconds)
            #expect(reason.contains("\(example.status)"))
        }
    }

    @Test func `pauses double up to their bound, and the server's wish is a minimum`() {
        var backoff = Backoff(secondsMax: 10)
        #expect((0..<6).map { _ in backoff.next(atLeast: nil, share: 1) } == [1, 2, 4, 8, 10, 10])
        #expect(backoff.next(atLeast: 30, share: 0.5) == 30)
        #expect(backoff.next(atLeast: 1, share: 0.5) == 5)
        backoff.reset()
        #expect(backoff.next(atLeast: nil, share: 0.5) == 0.5)
    }
}
