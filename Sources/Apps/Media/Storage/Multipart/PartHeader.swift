import Encodings

/// The headers of a part. They are untrusted: a file name is not a path, and a declared type proves
/// nothing.
public struct PartHeader: Sendable, Equatable {
    /// The form field's name.
    public let name: String
    /// The name in the client's file system, with any path and characters; nil for a plain field.
    public let filename: String?
    /// The declared type without parameters, in lower case (`image/jpeg`); nil when there is none.
    public let contentType: String?

    /// For tests of code that takes parts.
    public init(name: String, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
    }

    /// The text after the last dot of ``filename``'s last component, in lower case.
    public var fileExtension: String? {
        guard let filename,
            let last = filename.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last,
            let dot = last.lastIndex(of: "."), dot != last.startIndex
        else { return nil }
        let text = last[last.index(after: dot)...]
        return text.isEmpty ? nil : text.lowercased()
    }
}

extension PartHeader {
    /// Parses the header block of a part that begins at `offset` of the body.
    ///
    /// - Parameter block: lines that end in CR LF; the last one is empty.
    /// - Source: RFC 7578, section 4; RFC 9112, section 5.
    init(block: [UInt8], offset: Int, limits: MultipartLimits) throws(MultipartError) {
        var disposition: ParameterizedValue?
        var contentType: String?
        var fields = 0
        var place = 0
        while place < block.count - 2 {
            let line = try Self.line(block, at: place, offset: offset)
            fields += 1
            guard fields <= limits.headerFieldsMax else {
                throw .headerFieldsTooMany(offset: offset, limit: limits.headerFieldsMax)
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(ParameterizedValue.isToken)
            else { throw .headerInvalid(offset: offset + place) }
            let value = Array(line[(colon + 1)...])
            switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
            case "content-disposition":
                guard disposition == nil, let parsed = ParameterizedValue(value) else {
                    throw .headerInvalid(offset: offset + place)
                }
                disposition = parsed
            case "content-type":
                // An invalid type counts as absent; then the content decides.
                contentType = ParameterizedValue(value)?.value ?? contentType
            case "content-transfer-encoding":
                guard ["7bit", "8bit", "binary"].contains(ParameterizedValue(value)?.value) else {
                    throw .transferEncodingUnsupported(offset: offset)
                }
            default:
                break
            }
            place = line.endIndex + 2
        }
        guard let disposition, disposition.value == "form-data",
            let name = disposition.text("name")
        else { throw .nameMissing(offset: offset) }
        let filename = disposition.text("filename") ?? disposition["filename"]
        self.init(name: name, filename: filename, contentType: contentType)
    }

    /// The line at `place` without its end. A lone CR or LF is rejected, and so is every other
    /// control character except the tab.
    private static func line(
        _ block: [UInt8], at place: Int, offset: Int
    ) throws(MultipartError) -> ArraySlice<UInt8> {
        var end = place
        while end < block.count, block[end] >= 0x20 && block[end] != 0x7F || block[end] == 9 {
            end += 1
        }
        guard end + 1 < block.count, block[end] == 13, block[end + 1] == 10 else {
            throw .headerInvalid(offset: offset + end)
        }
        return block[place..<end]
    }
}
