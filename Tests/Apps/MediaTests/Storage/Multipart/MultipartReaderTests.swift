import Media
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MultipartReaderTests {
    let boundary: MultipartBoundary

    init() throws { boundary = try MultipartBoundary("b-1") }

    static let head = "--b-1\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n"

    private func outcome(
        _ text: String, limits: MultipartLimits = MultipartLimits()
    ) -> Result<[ReadPart], MultipartError> {
        ReadPart.outcome(Array(text.utf8), boundary: boundary, limits: limits)
    }

    private func bodies(_ text: String) throws -> [String] {
        try ReadPart.all(Array(text.utf8), boundary: boundary)
            .map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test(arguments: [
        ("the usual", head + "text\r\n--b-1--\r\n", ["text"]),
        ("no line end after the last", head + "text\r\n--b-1--", ["text"]),
        ("a preamble", "to be\r\npassed over\r\n" + head + "text\r\n--b-1--\r\n", ["text"]),
        ("an empty line before", "\r\n" + head + "text\r\n--b-1--\r\n", ["text"]),
        ("an epilogue", head + "text\r\n--b-1--\r\nto be\r\n--b-1\r\npassed over", ["text"]),
        ("an empty body", head + "\r\n--b-1--\r\n", [""]),
        ("no body", head + "--b-1--\r\n", [""]),
        ("no part", "--b-1--\r\n", []),
        ("a body of line ends", head + "\r\n\r\n\r\n--b-1--\r\n", ["\r\n\r\n"]),
        ("a body of CRs", head + "\r\r\r\r\n--b-1--\r\n", ["\r\r\r"]),
        (
            "a body of beginnings", head + "\r\n--b\r\n--b-\r\n-\r\n--b-1--",
            ["\r\n--b\r\n--b-\r\n-"]
        ),
        ("a beginning at once", head + "--b-\r\n--b-1--", ["--b-"]),
        ("a boundary inside of a line", head + "x--b-1--\r\n--b-1--", ["x--b-1--"]),
        ("spaces after a boundary", "--b-1 \t \r\n" + head.dropFirst(6) + "x\r\n--b-1--", ["x"]),
        ("two", head + "1\r\n" + head + "2\r\n--b-1--", ["1", "2"]),
    ])
    func `bodies are read, wherever they are cut in three`(
        what: String, text: String, expected: [String]
    ) throws {
        #expect(try bodies(text) == expected)
        let bytes = Array(text.utf8)
        for first in 0...bytes.count {
            for second in 0...(bytes.count - first) {
                let parts = try ReadPart.all(bytes, boundary: boundary, chunks: [first, second])
                #expect(
                    parts.map { String(decoding: $0.body, as: UTF8.self) } == expected,
                    "\(first) \(second)")
            }
        }
    }

    @Test(arguments: [
        ("", MultipartError.truncated(offset: 0)),
        ("no boundary at all", .truncated(offset: 18)),
        (head, .truncated(offset: 51)),
        (head + "text\r\n--b-1", .truncated(offset: 62)),
        (head + "text\r\n--b-1-", .truncated(offset: 63)),
        (head + "text\r\n--b-1\r\n", .truncated(offset: 64)),
        ("--b-1x\r\n", .boundaryLineInvalid(offset: 5)),
        ("--b-1\n", .boundaryLineInvalid(offset: 5)),
        ("--b-1\rx", .boundaryLineInvalid(offset: 6)),
        ("--b-1 --", .boundaryLineInvalid(offset: 6)),
        ("--b-1-\r\n", .boundaryLineInvalid(offset: 6)),
        (head + "a line\r\n--b-10 of data", .boundaryLineInvalid(offset: 64)),
        ("--b-1\r\n\r\ntext", .nameMissing(offset: 7)),
        ("--b-1\r\nContent-Type: a/b\r\n\r\n", .nameMissing(offset: 7)),
        ("--b-1\r\nContent-Disposition: form-data\r\n\r\n", .nameMissing(offset: 7)),
        ("--b-1\r\nContent-Disposition: file; name=a\r\n\r\n", .nameMissing(offset: 7)),
        ("--b-1\r\nContent-Disposition: form-data; name=\"a\r\n\r\n", .headerInvalid(offset: 7)),
        ("--b-1\r\nX: 1\r\nno colon\r\n\r\n", .headerInvalid(offset: 13)),
        ("--b-1\r\n: empty\r\n\r\n", .headerInvalid(offset: 7)),
        ("--b-1\r\nX : 1\r\n\r\n", .headerInvalid(offset: 7)),
        ("--b-1\r\nX: a\0b\r\n\r\n", .headerInvalid(offset: 11)),
        ("--b-1\r\nX: a\rb\r\n\r\n", .headerInvalid(offset: 11)),
        ("--b-1\r\nX: a\nb\r\n\r\n", .headerInvalid(offset: 11)),
        (
            "--b-1\r\nContent-Disposition: form-data; name=a\r\n"
                + "Content-Transfer-Encoding: base64\r\n\r\n",
            .transferEncodingUnsupported(offset: 7)
        ),
    ])
    func `a fault is reported with its offset, wherever the body is cut`(
        text: String, expected: MultipartError
    ) {
        let bytes = Array(text.utf8)
        for first in 0...bytes.count {
            #expect(
                ReadPart.outcome(bytes, boundary: boundary, chunks: [first]) == .failure(expected))
        }
        let bytewise = repeatElement(1, count: bytes.count)
        #expect(
            ReadPart.outcome(bytes, boundary: boundary, chunks: bytewise) == .failure(expected))
    }

    @Test func `the first fault stays`() throws {
        var reader = MultipartReader(boundary: boundary)
        let bad = Array("--b-1!".utf8)
        let good = Array(Self.head.utf8)
        #expect(throws: MultipartError.boundaryLineInvalid(offset: 5)) {
            while try reader.next(in: bad.span.bytes) != nil {}
        }
        #expect(throws: MultipartError.boundaryLineInvalid(offset: 5)) {
            try reader.next(in: good.span.bytes)
        }
        #expect(throws: MultipartError.boundaryLineInvalid(offset: 5)) { try reader.finish() }
    }

    @Test func `limits are exact to the byte and the part`() {
        let field = "Content-Disposition: form-data; name=n\r\n"
        let block = field + "\r\n"
        var limits = MultipartLimits()
        limits.headerBytesMax = block.utf8.count
        let body = "--b-1\r\n" + block + "x\r\n--b-1--"
        #expect((try? outcome(body, limits: limits).get()) != nil)
        limits.headerBytesMax -= 1
        #expect(
            outcome(body, limits: limits)
                == .failure(.headerTooLarge(offset: 7, limit: limits.headerBytesMax)))

        limits = MultipartLimits()
        limits.headerFieldsMax = 2
        let two = "--b-1\r\n" + field + "X: 1\r\n\r\n--b-1--"
        #expect((try? outcome(two, limits: limits).get()) != nil)
        let three = "--b-1\r\n" + field + "X: 1\r\nX: 2\r\n\r\n--b-1--"
        #expect(
            outcome(three, limits: limits) == .failure(.headerFieldsTooMany(offset: 7, limit: 2)))

        limits = MultipartLimits()
        limits.partsMax = 3
        let parts = String(repeating: Self.head + "x\r\n", count: 3)
        #expect((try? outcome(parts + "--b-1--", limits: limits).get())?.count == 3)
        let offset = parts.utf8.count + 7
        #expect(
            outcome(parts + Self.head, limits: limits)
                == .failure(.partsTooMany(offset: offset, limit: 3)))

        limits = MultipartLimits()
        limits.paddingBytesMax = 4
        #expect(outcome("--b-1    \r\n", limits: limits) == .failure(.truncated(offset: 11)))
        #expect(
            outcome("--b-1     \r\n", limits: limits)
                == .failure(.boundaryLineInvalid(offset: 9)))
    }

    @Test func `a header that never ends is refused at the limit`() {
        let endless = "--b-1\r\nX: " + String(repeating: "a", count: 20_000)
        #expect(outcome(endless) == .failure(.headerTooLarge(offset: 7, limit: 8192)))
    }
}
