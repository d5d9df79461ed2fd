import Media
import Testing

struct MediaAnswerTests {
    let etag: EntityTag

    init() throws {
        let hex = String(repeating: "0123456789abcdef", count: 4)
        etag = EntityTag(digest: try #require(MediaDigest(hex: hex)))
    }

    private func answer(
        isGet: Bool = true, ifMatch: String? = nil, ifNoneMatch: String? = nil,
        range: String? = nil, ifRange: String? = nil
    ) -> MediaAnswer {
        MediaAnswer(
            bytes: 100, etag: etag, isGet: isGet, ifMatch: ifMatch, ifNoneMatch: ifNoneMatch,
            range: range, ifRange: ifRange)
    }

    @Test func `the tag is strong and belongs to the content`() {
        #expect(etag.text == "\"0123456789abcdef0123456789abcdef\"")
    }

    @Test func `without conditions everything is sent`() {
        #expect(answer() == .whole)
        #expect(answer().status == 200)
        #expect(answer().body(bytes: 100) == 0..<100)
    }

    @Test func `a client that has the content gets 304, before any range`() {
        for field in ["*", "\(etag)", "W/\(etag)", "\"x\" , \(etag)"] {
            #expect(answer(ifNoneMatch: field, range: "bytes=0-1") == .notModified)
        }
        #expect(answer(ifNoneMatch: "\"x\", \"y\"") == .whole)
        #expect(answer(ifNoneMatch: "") == .whole)
        #expect(answer(ifNoneMatch: "\(etag)").body(bytes: 100) == nil)
    }

    @Test func `content other than the client wants is 412`() {
        #expect(answer(ifMatch: "\"x\"") == .preconditionFailed)
        #expect(answer(ifMatch: "W/\(etag)") == .preconditionFailed)
        #expect(answer(ifMatch: "\(etag)") == .whole)
        #expect(answer(ifMatch: "*") == .whole)
        #expect(answer(ifMatch: "\"x\"", ifNoneMatch: "*") == .preconditionFailed)
    }

    @Test func `a range is served only for the content that the client knows`() {
        #expect(answer(range: "bytes=0-1") == .part(0..<2))
        #expect(answer(range: "bytes=0-1", ifRange: "\(etag)") == .part(0..<2))
        #expect(answer(range: "bytes=0-1", ifRange: "W/\(etag)") == .whole)
        #expect(answer(range: "bytes=0-1", ifRange: "\"x\"") == .whole)
        #expect(answer(range: "bytes=0-1", ifRange: "Fri, 24 May 2013 00:00:00 GMT") == .whole)
        #expect(answer(range: "bytes=100-", ifRange: "\"x\"") == .whole)
        #expect(answer(isGet: false, range: "bytes=0-1") == .whole)
    }

    @Test func `a range beyond the end is 416 and says the length`() {
        let answer = answer(range: "bytes=100-")
        #expect(answer.status == 416)
        #expect(answer.contentRange(bytes: 100) == "bytes */100")
        #expect(answer.body(bytes: 100) == nil)
    }
}
