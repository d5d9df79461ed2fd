/// A process's answer about a file.
package enum InspectionAnswer: Sendable, Equatable {
    case report(FileReport)
    case thumbnail(EncodedImage)
    case fault(InspectionFault)

    /// The most bytes of a whole answer.
    package static let bytesMax = 32 << 20

    private enum Kind: UInt8 {
        case report = 1
        case thumbnail, unreadable, tooManyPixels
    }

    /// The bytes that are written.
    package var encoded: [UInt8] {
        var writer = AnswerWriter()
        switch self {
        case .report(let report):
            writer.put(Kind.report.rawValue)
            report.write(to: &writer)
        case .thumbnail(let image):
            writer.put(Kind.thumbnail.rawValue)
            writer.put(image.type.rawValue)
            writer.put(image.bytes)
        case .fault(.unreadable): writer.put(Kind.unreadable.rawValue)
        case .fault(.tooManyPixels): writer.put(Kind.tooManyPixels.rawValue)
        }
        return writer.bytes
    }

    /// - Parameter fileBytes: the length of the file that was inspected.
    /// - Returns: nil when the output is not a valid answer to the wish.
    package init?(_ output: [UInt8], to wish: InspectionOrder.Wish, fileBytes: Int) {
        var reader = AnswerReader(output)
        guard let kind = reader.byte().flatMap({ Kind(rawValue: $0) }),
            let answer = Self.read(kind, &reader),
            reader.isAtEnd
        else { return nil }
        switch (answer, wish) {
        case (.report(let report), .report(let erasesLocation)):
            guard report.isSound(fileBytes: fileBytes), erasesLocation || report.edits.isEmpty
            else { return nil }
        case (.thumbnail(let image), .thumbnail):
            guard [.jpeg, .png].contains(image.type),
                MediaType(content: image.bytes) == image.type
            else { return nil }
        case (.fault, _): break
        default: return nil
        }
        self = answer
    }

    private static func read(_ kind: Kind, _ reader: inout AnswerReader) -> Self? {
        switch kind {
        case .report: return FileReport(from: &reader).map { .report($0) }
        case .thumbnail:
            guard let type = reader.text().flatMap({ MediaType(rawValue: $0) }),
                let bytes = reader.bytes()
            else { return nil }
            return .thumbnail(EncodedImage(type: type, bytes: bytes))
        case .unreadable: return .fault(.unreadable)
        case .tooManyPixels: return .fault(.tooManyPixels)
        }
    }
}

/// A picture as a file.
package struct EncodedImage: Sendable, Equatable {
    package let type: MediaType
    package let bytes: [UInt8]

    package init(type: MediaType, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

/// Why a file has no thumbnail.
package enum InspectionFault: Error, Equatable, Sendable {
    case unreadable
    case tooManyPixels
}

/// Numbers of eight bytes, and texts and lists behind their lengths.
package struct AnswerWriter {
    package private(set) var bytes: [UInt8] = []

    package mutating func put(_ byte: UInt8) { bytes.append(byte) }

    package mutating func put(_ flag: Bool) { put(flag ? 1 : 0 as UInt8) }

    package mutating func put(_ number: Int) {
        withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian) {
            bytes.append(contentsOf: $0)
        }
    }

    package mutating func put(_ number: Double) {
        put(Int(Int64(bitPattern: number.bitPattern)))
    }

    package mutating func put(_ more: [UInt8]) {
        put(more.count)
        bytes += more
    }

    package mutating func put(_ text: String) { put(Array(text.utf8)) }

    package mutating func put<Value>(
        _ value: Value?, _ write: (inout AnswerWriter, Value) -> Void
    ) {
        put(value != nil)
        if let value { write(&self, value) }
    }
}

/// Reads what ``AnswerWriter`` wrote; nil for anything else.
package struct AnswerReader {
    private let output: [UInt8]
    private var place = 0

    package init(_ output: [UInt8]) { self.output = output }

    package var isAtEnd: Bool { place == output.count }

    package mutating func byte() -> UInt8? {
        guard place < output.count else { return nil }
        defer { place += 1 }
        return output[place]
    }

    package mutating func flag() -> Bool? {
        switch byte() {
        case 0: false
        case 1: true
        default: nil
        }
    }

    package mutating func number() -> Int? {
        guard output.count - place >= 8 else { return nil }
        defer { place += 8 }
        let bits = output[place..<place + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(Int64(bitPattern: bits))
    }

    package mutating func double() -> Double? {
        number().map { Double(bitPattern: UInt64(bitPattern: Int64($0))) }
    }

    package mutating func bytes() -> [UInt8]? {
        guard let count = number(), count >= 0, count <= output.count - place else { return nil }
        defer { place += count }
        return Array(output[place..<place + count])
    }

    package mutating func text() -> String? {
        bytes().flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// - Returns: nil when it can't be read; otherwise the value, which may be absent.
    package mutating func optional<Value>(
        _ read: (inout AnswerReader) -> Value?
    ) -> Value?? {
        switch flag() {
        case nil: return nil
        case false?: return .some(nil)
        case true?:
            guard let value = read(&self) else { return nil }
            return .some(value)
        }
    }
}
