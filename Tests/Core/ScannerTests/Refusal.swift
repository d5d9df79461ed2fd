import Scanner
import Testing

/// A body that is refused as a whole, with a `§` before the faulty byte.
struct Refusal: CustomTestStringConvertible, Sendable {
    let body: [UInt8]
    let error: ScanError
    let marked: String

    var testDescription: String { marked }

    /// The byte after `§` can't stand there.
    static func unexpected(_ marked: String) -> Refusal {
        let (body, offset) = parse(marked)
        return Refusal(
            body: body, error: .unexpectedByte(body[offset], offset: offset), marked: marked)
    }

    /// The character after `§` is not UTF-8.
    static func invalidUTF8(_ marked: String) -> Refusal {
        let (body, offset) = parse(marked)
        return Refusal(body: body, error: .invalidUTF8(offset: offset), marked: marked)
    }

    /// The body ends too early.
    static func truncated(_ text: String) -> Refusal {
        let (body, _) = parse(text + "§")
        return Refusal(body: body, error: .truncated(offset: body.count), marked: text)
    }

    static func envelope(_ text: String, _ fault: EnvelopeFault) -> Refusal {
        let (body, _) = parse(text + "§")
        return Refusal(body: body, error: .envelope(fault), marked: text)
    }

    /// `‹…›` contains hexadecimal bytes that a Swift string can't hold.
    private static func parse(_ marked: String) -> (body: [UInt8], offset: Int) {
        var body: [UInt8] = []
        var offset: Int?
        var hex: String?
        for character in marked {
            switch (character, hex) {
            case ("§", _): offset = body.count
            case ("‹", _): hex = ""
            case ("›", let digits?):
                body += digits.split(separator: " ").map { UInt8($0, radix: 16)! }
                hex = nil
            case (_, let digits?): hex = digits + String(character)
            default: body += Array(String(character).utf8)
            }
        }
        return (body, offset!)
    }
}
