import Encodings
import HTTPTypes
import Hummingbird
import Media

/// `GET /api/users/user/{userId}/multimedia/files/{fileId}`: a file of the journal, a range of it, or
/// with `?w=` a thumbnail.
///
/// Open to whoever knows the id, which is 128 random bits: views of pictures send no credentials. An
/// id has one content for ever, so whoever has it need not ask again; shared caches have no business
/// with it.
struct JournalFileRoute: Sendable {
    private let library: JournalLibrary

    private static let cacheControl = "private, max-age=31536000, immutable"
    /// A thumbnail takes about that long.
    private static let retryAfter = Duration.seconds(2)

    init(_ services: JournalServices) {
        library = services.library
    }

    func add(to router: Router<RouteContext>) {
        router.get("\(JournalPath.base)/{userId}/multimedia/files/{fileId}") { request, context in
            try await serve(request, context)
        }
    }

    private func serve(_ request: Request, _ context: RouteContext) async throws -> Response {
        let user = try JournalPath.user(context)
        let id = try context.parameters.require("fileId")
        guard let file = try await library.find(file: id, user: user) else {
            throw RouteFailure.notFound
        }
        let media: StoredMedia
        if let text = RequestQuery(request.uri.query).value("w") {
            guard let width = ThumbnailWidth(text) else {
                throw RouteFailure.thumbnailWidthInvalid
            }
            media = try await thumbnail(of: file, width)
        } else {
            guard let found = try await library.open(file) else { throw RouteFailure.notFound }
            media = found
        }
        return try answer(for: file, media.file).response(media, to: request)
    }

    /// How the file, or a thumbnail of it, is served.
    private func answer(for file: JournalFile, _ media: MediaFile) -> FileAnswer {
        let isKnown = MediaType(rawValue: media.contentType) != nil
        return FileAnswer(
            cacheControl: Self.cacheControl,
            disposition: ContentDisposition(isInline: isKnown, name: file.name).text)
    }

    private func thumbnail(
        of file: JournalFile, _ width: ThumbnailWidth
    ) async throws -> StoredMedia {
        switch try await library.thumbnail(of: file, width: width) {
        case .made(let media): return media
        case .unsupported: throw RouteFailure.thumbnailUnsupported
        case .unreadable: throw RouteFailure.thumbnailUnreadable
        case .tooManyPixels(let max): throw RouteFailure.thumbnailTooLarge(pixelsMax: max)
        case .overLimits: throw RouteFailure.thumbnailOverLimits
        case .busy: throw RouteFailure.thumbnailsTooMany(retryAfter: Self.retryAfter)
        case .gone: throw RouteFailure.notFound
        }
    }
}

/// How a browser is told to show a file, and what to call it when it keeps it.
///
/// - Source: RFC 6266, section 4; RFC 8187 for `filename*`.
struct ContentDisposition: Sendable, Equatable {
    /// The value of the header field.
    let text: String

    /// - Parameters:
    ///   - isInline: shown where it stands; else offered for keeping.
    ///   - name: as a client has sent it, with any characters.
    init(isInline: Bool, name: String) {
        let plain = Self.plain(name)
        var text = "\(isInline ? "inline" : "attachment"); filename=\"\(plain)\""
        if plain != name { text += "; filename*=UTF-8''\(PercentEncoding.encoded(name))" }
        self.text = text
    }

    /// For clients that read no other: what would need quoting or is not ASCII is left out, and so is
    /// `%`, which some of them decode.
    private static func plain(_ name: String) -> String {
        var plain = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"", "\\", "%": plain += "_"
            case " "..."~": plain.unicodeScalars.append(scalar)
            default: plain += "_"
            }
        }
        return plain
    }
}
