import Foundation
import MediaStorage

/// What a process says of a file, on its standard output: a line of JSON, and behind it the bytes of
/// a thumbnail.
///
/// Whoever has taken over the process may say anything: an answer is read within bounds, and what
/// makes no sense is no answer.
enum InspectionAnswer: Sendable, Equatable {
    case image(ImageFacts)
    case film(MediaFacts)
    case thumbnail(ThumbnailImage.Encoded)
    case fault(ThumbnailImage.Failure)

    /// Bytes of a whole answer.
    static let bytesMax = 32 << 20
    /// Bytes of its first line.
    private static let headBytesMax = 4 << 10

    private struct Head: Codable {
        var image: ImageFacts?
        var film: MediaFacts?
        var thumbnail: MediaType?
        var fault: ThumbnailImage.Failure?
    }

    /// As it is written.
    var encoded: [UInt8] {
        var head = Head()
        var content: [UInt8] = []
        switch self {
        case .image(let facts): head.image = facts
        case .film(let facts): head.film = facts
        case .thumbnail(let image): (head.thumbnail, content) = (image.type, image.bytes)
        case .fault(let fault): head.fault = fault
        }
        do {
            return try JSONEncoder().encode(head) + [UInt8(ascii: "\n")] + content
        } catch {
            preconditionFailure("BUG: an answer that can't be encoded: \(error)")
        }
    }

    /// - Returns: nil for what is no answer to the wish.
    init?(_ output: [UInt8], to wish: InspectionOrder.Wish) {
        guard let end = output.prefix(Self.headBytesMax).firstIndex(of: UInt8(ascii: "\n")),
            let head = try? JSONDecoder().decode(Head.self, from: Data(output[..<end]))
        else { return nil }
        let content = output[(end + 1)...]
        if let fault = head.fault {
            self = .fault(fault)
            return
        }
        switch wish {
        case .image:
            guard let facts = head.image, facts.isSound else { return nil }
            self = .image(facts)
        case .film:
            guard let facts = head.film, facts.isSound else { return nil }
            self = .film(facts)
        case .thumbnail:
            guard let type = head.thumbnail, [.jpeg, .png].contains(type),
                MediaType(content: content) == type
            else { return nil }
            self = .thumbnail(ThumbnailImage.Encoded(type: type, bytes: Array(content)))
        }
    }
}
