import Foundation

/// Inspects one untrusted file in a separate process with few rights: `sluice inspect`, which the
/// server starts for each picture, film and recording (``Inspector``).
///
/// The libraries that read such files are large and written in C: one may crash, loop, or use up
/// all memory. Here that ends only this process, which holds no data of the server. It sets its
/// limits (``InspectionLimits``) before it reads the file.
public enum Inspection {
    /// The exit status when the limits can't be set; the file is not read then.
    static let unlimitedStatus = EX_OSERR

    /// Reads the file that is standard input, writes an ``InspectionAnswer`` to standard output and
    /// ends the process.
    ///
    /// - Parameter order: an ``InspectionOrder``.
    public static func run(_ order: String) -> Never {
        guard let order = try? JSONDecoder().decode(InspectionOrder.self, from: Data(order.utf8))
        else { _exit(EX_USAGE) }
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { _exit(EX_NOINPUT) }
        let bytes = Int(status.st_size)
        guard order.limits.impose(fileBytes: bytes) else { _exit(unlimitedStatus) }
        let file = mmap(nil, max(1, bytes), PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0)
        guard file != MAP_FAILED else { _exit(EX_NOINPUT) }
        write(answer(to: order, UnsafeRawBufferPointer(start: file, count: bytes)).encoded)
        _exit(EX_OK)
    }

    private static func answer(
        to order: InspectionOrder, _ file: UnsafeRawBufferPointer
    ) -> InspectionAnswer {
        switch order.wish {
        case .image:
            return ImageFacts.read(file).map { .image($0) } ?? .fault(.unreadable)
        case .film:
            return MediaFacts.read(file, type: order.type).map { .film($0) } ?? .fault(.unreadable)
        case .thumbnail(let width, let pixelsMax):
            switch ThumbnailImage.make(
                of: file, type: order.type, width: width, pixelsMax: pixelsMax)
            {
            case .success(let image): return .thumbnail(image)
            case .failure(let fault): return .fault(fault)
            }
        }
    }

    private static func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place < bytes.count {
                let count = Glibc.write(
                    STDOUT_FILENO, bytes.baseAddress! + place, bytes.count - place)
                guard count > 0 || errno == EINTR else { _exit(EX_IOERR) }
                place += max(0, count)
            }
        }
    }
}

/// A process's answer about a file, on its standard output: a line of JSON, followed by the bytes
/// of a thumbnail.
///
/// A file may take over the process, so an answer is untrusted: it is read within bounds, and an
/// implausible one is rejected.
enum InspectionAnswer: Sendable, Equatable {
    case image(ImageFacts)
    case film(MediaFacts)
    case thumbnail(ThumbnailImage.Encoded)
    case fault(ThumbnailImage.Failure)

    /// The most bytes of a whole answer.
    static let bytesMax = 32 << 20
    /// The most bytes of its first line.
    private static let headBytesMax = 4 << 10

    private struct Head: Codable {
        var image: ImageFacts?
        var film: MediaFacts?
        var thumbnail: MediaType?
        var fault: ThumbnailImage.Failure?
    }

    /// The bytes that are written.
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

    /// - Returns: nil when the output is not a valid answer to the wish.
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

/// The work of a process on the file at its standard input: its one argument, as JSON.
struct InspectionOrder: Codable, Sendable, Equatable {
    enum Wish: Codable, Sendable, Equatable {
        case image
        case film
        case thumbnail(width: Int, pixelsMax: Int)
    }

    var wish: Wish
    /// Detected from the first bytes.
    var type: MediaType
    var limits: InspectionLimits

    var text: String {
        do {
            return String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        } catch {
            preconditionFailure("BUG: an order that can't be encoded: \(error)")
        }
    }
}

extension MediaType: Codable {}
