import Encodings
import HTTPTypes
import Hummingbird
import Inspections
import Media

/// `GET /api/users/user/{userId}/multimedia/files/{fileId}`: a file of the journal, a range of it,
/// or with `?w=` a thumbnail.
///
/// Open to anyone who knows the id, which is 128 random bits, because image views send no
/// credentials. The content of an id never changes, so clients need not revalidate; shared caches
/// may not store it.
struct JournalFileRoute: Sendable {
    private let library: JournalLibrary
    private let downloads: PlaceCounter

    private static let cacheControl = "private, max-age=31536000, immutable"
    /// About the time that a thumbnail takes.
    private static let retryAfter = Duration.seconds(2)

    init(_ services: JournalServices, _ downloads: PlaceCounter) {
        library = services.library
        self.downloads = downloads
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
        let place = try downloads.takeForFile()
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
        return try answer(for: file, media.file).response(media, to: request, holding: place)
    }

    /// The headers with which the file, or a thumbnail of it, is served.
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
        case .budgetUsedUp(let time): throw RouteFailure.inspectionUsedUp(retryAfter: time)
        case .gone: throw RouteFailure.notFound
        }
    }
}

/// `Content-Disposition`: whether a browser shows or saves a file, and the name for saving.
///
/// - Source: RFC 6266, section 4; RFC 8187 for `filename*`.
struct ContentDisposition: Sendable, Equatable {
    /// The value of the header field.
    let text: String

    /// - Parameters:
    ///   - isInline: shown in place; otherwise offered for saving.
    ///   - name: as sent by a client, with any characters.
    init(isInline: Bool, name: String) {
        let plain = Self.plain(name)
        var text = "\(isInline ? "inline" : "attachment"); filename=\"\(plain)\""
        if plain != name { text += "; filename*=UTF-8''\(PercentEncoding.encoded(name))" }
        self.text = text
    }

    /// The name for clients that don't know `filename*`. Characters that need quoting, are not
    /// ASCII, or are `%`, which some clients decode, are replaced by `_`.
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
