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
