import Auth
import Foundation
import HTTPTypes
import NIOCore
import Scanner
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct FailureAnswerTests {
    private static let failures: [RequestFailure] = [
        .methodNotAllowed([.post]), .keyRefused("X-API-Key"), .scopeMissing(.ingest),
        .contentTypeUnsupported(expected: "application/json"), .codingUnknown,
        .idempotencyKeyTooLong(bytesMax: 1), .bodyTooLarge(bytesMax: 1),
        .overloaded(retryAfter: .seconds(1)), .quotaUsedUp(retryAfter: .seconds(1)),
        .databaseUnavailable(retryAfter: .seconds(1)), .expandsTooMuch(timesMax: 9),
        .encodingBroken(.gzip, .corrupt, offset: 7), .encodingBroken(.lz4, .truncated, offset: 0),
        .encodingBroken(.deflate, .trailingBytes, offset: 9), .bodyTimedOut, .bodyIncomplete,
        .acknowledgementLate(retryAfter: .seconds(1)), .batchRefused,
        .headTimedOut, .headTooLarge, .malformed,
        .tooManyConnections(retryAfter: .seconds(1)), .otherSite,
        .scan(.unexpectedByte(0x22, offset: 3)), .scan(.unexpectedByte(0x4E, offset: 3)),
        .scan(.truncated(offset: 3)),
        .scan(.invalidUTF8(offset: 3)), .scan(.nestedTooDeep(offset: 3)),
        .scan(.envelope(.bodyNotObject)), .scan(.envelope(.metadataMissing)),
        .scan(.envelope(.metadataNotObject)), .scan(.envelope(.metadataTooLarge(bytesMax: 5))),
        .scan(.envelope(.deviceIDMissing)), .scan(.envelope(.notString(field: "version"))),
        .scan(.envelope(.empty(field: "device_id"))),
        .scan(.envelope(.tooLong(field: "user_id", charactersMax: 128))),
        .scan(.envelope(.notText(field: "device_id"))), .scan(.envelope(.dataMissing)),
        .scan(.envelope(.bareElementNotObject(index: 4))),
        .encodingBroken(.zstd, .windowTooLarge(bytesMax: 1 << 23), offset: 0),
        .scan(.envelope(.dataNotArray)), .scan(.envelope(.elementNotObject(index: 4))),
        .scan(.envelope(.duplicateKey(field: "data"))), .scan(.envelope(.tooManyInvalid(max: 9))),
    ]

    @Test(arguments: failures)
    func `every failure is answered in this system's envelope`(failure: RequestFailure) throws {
        var writer = AnswerWriter(unixSeconds: 0)
        let answer = writer.answer(failure, in: .detail, .close)
        var text = String(buffer: answer.bytes)[...]
        let parsed = try #require(try ParsedAnswer.take(from: &text))
        #expect(text.isEmpty)
        #expect(parsed.headers["content-type"] == "application/json")
        #expect(parsed.status == failure.status.code)
        let isOverload = parsed.status == 429 || parsed.status == 503
        #expect((parsed.headers["retry-after"] != nil) == isOverload)
        if case .member = failure.place {
            let lines = try #require(parsed.json?["detail"] as? [NSDictionary])
            #expect(lines.count == 1)
            #expect((lines[0]["loc"] as? [Any])?.first as? String == "body")
            #expect(lines[0]["msg"] is String && lines[0]["type"] is String)
        } else {
            #expect(parsed.detail?.isEmpty == false)
        }
        if failure == .scan(.unexpectedByte(0x4E, offset: 3)) {
            #expect(
                parsed.detail
                    == "Not JSON: unexpected byte 'N'; NaN and Infinity are no JSON, and are taken "
                    + "only as values of members")
        }
        if failure == .scan(.truncated(offset: 3)) { #expect(parsed.number("offset") == 3) }
    }

    @Test func `a wrong element of an array is named by its keys and its index`() {
        let failure = RequestFailure.scan(.envelope(.elementNotObject(index: 4)))
        #expect(
            ErrorEnvelope.detail.text(failure.problem)
                == #"{"detail":[{"loc":["body","data",4],"msg":"Input should be an object","#
                + #""type":"dict_type"}]}"#)
    }
}
