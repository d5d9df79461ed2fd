import Media
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MultipartPropertyTests {
    /// Text that is full of a boundary's parts.
    private static func nasty(_ count: Int, _ boundary: String, _ dice: inout Dice) -> [UInt8] {
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var bytes: [UInt8] = []
        while bytes.count < count {
            switch Int.random(in: 0..<5, using: &dice) {
            case 0: bytes += dice.bytes(Int.random(in: 1..<50, using: &dice))
            case 1: bytes += delimiter.dropLast(Int.random(in: 1..<delimiter.count, using: &dice))
            case 2: bytes += delimiter.dropFirst(Int.random(in: 3..<delimiter.count, using: &dice))
            case 3: bytes += [13, 10]
            default: bytes.append(13)
            }
        }
        return bytes
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.count >= part.count
            && (0...(bytes.count - part.count)).contains {
                bytes[$0..<$0 + part.count].elementsEqual(part)
            }
    }

    @Test(arguments: 0..<300)
    func `random parts are read as they were written, in random chunks`(seed: Int) throws {
        var dice = Dice(seed: UInt64(seed))
        let characters = Array("abcXYZ019'()+_,-./:=?")
        let text = String(
            (0..<Int.random(in: 1...70, using: &dice)).map { _ in
                characters.randomElement(using: &dice)!
            })
        let boundary = try MultipartBoundary(text)
        var expected: [ReadPart] = []
        var body: [UInt8] = []
        for number in 0..<Int.random(in: 0..<6, using: &dice) {
            var content = Self.nasty(Int.random(in: 0..<2000, using: &dice), text, &dice)
            // Content with the boundary's own text at the beginning of a line would end the part.
            if Self.contains([13, 10] + content, Array("\r\n--\(text)".utf8)) { content = [13] }
            let filename = Bool.random(using: &dice) ? "file \(number).bin" : nil
            body += Array("--\(text)\r\nContent-Disposition: form-data; name=\"\(number)\"".utf8)
            if let filename { body += Array("; filename=\"\(filename)\"".utf8) }
            body += Array("\r\n\r\n".utf8) + content + [13, 10]
            expected.append(
                ReadPart(header: PartHeader(name: "\(number)", filename: filename), body: content))
        }
        body += Array("--\(text)--\r\n".utf8)
        for size in [1, 5, 64, 1000, 100_000] {
            let lengths = (0...body.count).map { _ in Int.random(in: 0...size, using: &dice) }
            #expect(try ReadPart.all(body, boundary: boundary, chunks: lengths) == expected)
        }
    }

    /// The search examines four places at a time where none of the boundary's bytes occur.
    @Test(arguments: [1, 7, 22, 70])
    func `a boundary is found anywhere in text that shares no byte with it`(length: Int) throws {
        let text = String(repeating: "b", count: length)
        let boundary = try MultipartBoundary(text)
        let head = Array("--\(text)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8)
        let tail = Array("\r\n--\(text)--\r\n".utf8)
        for count in 0..<9 * (length + 4) {
            let content = [UInt8](repeating: 0x20, count: count)
            let expected = [ReadPart(header: PartHeader(name: "a"), body: content)]
            let body = head + content + tail
            #expect(try ReadPart.all(body, boundary: boundary) == expected)
            let border = head.count + count / 2
            #expect(try ReadPart.all(body, boundary: boundary, chunks: [border]) == expected)
        }
    }
}
