import Glibc

/// The text that separates the parts of one body.
///
/// - Source: RFC 2046, section 5.1.1: 1 to 70 characters of a fixed set, the last no space.
public struct MultipartBoundary: Sendable, Equatable {
    /// The most characters of a boundary.
    public static let lengthMax = 70

    /// The characters, without the two leading hyphens that the body has.
    public let text: String
    /// CR, LF, two hyphens and the text: what ends a part's body.
    let delimiter: [UInt8]
    /// By byte: how far the search may skip when the byte is where the delimiter would end.
    let steps: [UInt8]
    /// By byte: 1 for bytes that the delimiter does not contain, else 0.
    let strangers: [UInt8]

    /// - Throws: ``MultipartError/boundaryInvalid``.
    public init(_ text: String) throws(MultipartError) {
        guard (1...Self.lengthMax).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed),
            text.utf8.last != UInt8(ascii: " ")
        else { throw .boundaryInvalid }
        self.text = text
        delimiter = Array("\r\n--\(text)".utf8)
        var steps = [UInt8](repeating: UInt8(delimiter.count), count: 256)
        for (place, byte) in delimiter.dropLast().enumerated() {
            steps[Int(byte)] = UInt8(delimiter.count - 1 - place)
        }
        self.steps = steps
        var strangers = [UInt8](repeating: 1, count: 256)
        for byte in delimiter { strangers[Int(byte)] = 0 }
        self.strangers = strangers
    }

    /// Finds the boundary in a request's `Content-Type`.
    ///
    /// - Throws: ``MultipartError/notFormData``, ``MultipartError/boundaryMissing`` or
    ///   ``MultipartError/boundaryInvalid``.
    public init(contentType: String) throws(MultipartError) {
        guard let value = ParameterizedValue(Array(contentType.utf8)),
            value.value == "multipart/form-data"
        else { throw .notFormData }
        guard let boundary = value["boundary"] else { throw .boundaryMissing }
        try self.init(boundary)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}
