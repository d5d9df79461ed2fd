import Foundation
import NIOCore
import Scanning
import Testing

@testable import Edge

@Suite struct FailureAnswerTests {
    private static let failures: [Failure] = [
        .methodNotAllowed, .unauthorized, .contentTypeUnsupported, .encodingUnsupported,
        .idempotencyKeyTooLong(bytesMax: 1), .bodyTooLarge(bytesMax: 1),
        .overloaded(retryAfter: .seconds(1)), .quotaUsedUp(retryAfter: .seconds(1)),
        .unavailable(retryAfter: .seconds(1)), .expandsTooMuch(timesMax: 9),
        .encodingBroken(.gzip, .corrupt, offset: 7), .encodingBroken(.lz4, .truncated, offset: 0),
        .encodingBroken(.deflate, .trailingBytes, offset: 9), .bodyTimedOut, .bodyIncomplete,
        .acknowledgementLate(retryAfter: .seconds(1)), .refusedByDatabase(sqlState: "42501"),
        .headTimedOut, .headTooLarge, .requestMalformed,
        .tooManyConnections(retryAfter: .seconds(1)), .socketOfOtherSite,
        .scan(.unexpectedByte(0x22, offset: 3)), .scan(.truncated(offset: 3)),
        .scan(.invalidUTF8(offset: 3)), .scan(.nestedTooDeep(offset: 3)),
        .scan(.envelope(.bodyNotObject)), .scan(.envelope(.metadataMissing)),
        .scan(.envelope(.metadataNotObject)), .scan(.envelope(.metadataTooLarge(bytesMax: 5))),
        .scan(.envelope(.deviceIDMissing)), .scan(.envelope(.notString(field: "version"))),
        .scan(.envelope(.empty(field: "device_id"))),
        .scan(.envelope(.tooLong(field: "user_id", charactersMax: 128))),
        .scan(.envelope(.notText(field: "device_id"))), .scan(.envelope(.dataMissing)),
        .scan(.envelope(.dataNotArray)), .scan(.envelope(.elementNotObject(index: 4))),
        .scan(.envelope(.duplicateKey(field: "data"))), .scan(.envelope(.tooManyInvalid(max: 9))),
    ]

    @Test(arguments: failures)
    func `every failure is answered in this system's envelope`(failure: Failure) throws {
        var writer = AnswerWriter(unixSeconds: 0)
        let answer = writer.answer(
            failure.status, .close,
            fields: failure.fields(retryAfterSeconds: failure.retryAfter.map { _ in 2 })
        ) { failure.write(to: &$0) }
        var text = String(buffer: answer.bytes)[...]
        let parsed = try #require(try ParsedAnswer.take(from: &text))
        #expect(text.isEmpty)
        #expect(parsed.headers["content-type"] == "application/json")
        #expect(parsed.status == failure.status)
        let isOverload = parsed.status == 429 || parsed.status == 503
        #expect((parsed.headers["retry-after"] == "2") == isOverload)
        if case .scan(.envelope) = failure {
            let lines = try #require(parsed.json?["detail"] as? [NSDictionary])
            #expect(lines.count == 1)
            #expect((lines[0]["loc"] as? [Any])?.first as? String == "body")
            #expect(lines[0]["msg"] is String && lines[0]["type"] is String)
        } else {
            #expect(parsed.detail?.isEmpty == false)
        }
        if case .scan(.truncated) = failure { #expect(parsed.number("offset") == 3) }
    }
}
