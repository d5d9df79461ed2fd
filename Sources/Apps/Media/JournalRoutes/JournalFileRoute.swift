import Auth
import HTTP
import Hummingbird
import Inspections
import Media
import Uploads

/// `GET /api/users/user/{userId}/multimedia/files/{fileId}`: a file of the journal, a range of it,
/// or with `?w=` a thumbnail.
///
/// Open to anyone who knows the id, which is 128 random bits, because image views send no
/// credentials. The content of an id never changes, so clients need not revalidate; shared caches
/// may not store it.
struct JournalFileRoute: Sendable {
    private let library: JournalLibrary
    private let downloads: PlaceCounter<ClientAddress>

    private static let cacheControl = "private, max-age=31536000, immutable"
    /// About the time that a thumbnail takes.
    private static let retryAfter = Duration.seconds(2)

    init(_ services: JournalServices, _ downloads: PlaceCounter<ClientAddress>) {
        library = services.library
        self.downloads = downloads
    }

    var route: Route {
        .get(
            "\(JournalPath.base)/{userId}/multimedia/files/{fileId}",
            label: "\(JournalPath.base)/multimedia/files"
        ) { request, context in try await serve(request, context) }
    }

    private func serve(_ request: Request, _ context: RouteContext) async throws -> Response {
        let user = try JournalPath.user(context)
        let id = try context.parameters.require("fileId")
        guard let file = try await library.find(file: id, user: user) else {
            throw RequestFailure.notFound
        }
        let address = ClientAddress(context.channel)
        let place = try downloads.takeForFile(address)
        let media: StoredMedia
        if let text = RequestQuery(request.uri.query).value("w") {
            guard let width = ThumbnailWidth(text) else {
                throw RequestFailure.thumbnailWidthInvalid
            }
            // Whoever asks, and whosever file it is: both can be the cause of many.
            let client = InspectionClient(.anybody, from: address, user: file.user)
            media = try await thumbnail(of: file, width, for: client)
        } else {
            guard let found = try await library.open(file) else { throw RequestFailure.notFound }
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
        of file: JournalFile, _ width: ThumbnailWidth, for client: InspectionClient
    ) async throws -> StoredMedia {
        switch try await library.thumbnail(of: file, width: width, for: client) {
        case .made(let media): return media
        case .unsupported: throw RequestFailure.thumbnailUnsupported
        case .unreadable: throw RequestFailure.thumbnailUnreadable
        case .tooManyPixels(let max): throw RequestFailure.thumbnailTooLarge(pixelsMax: max)
        case .overLimits: throw RequestFailure.thumbnailOverLimits
        case .busy: throw RequestFailure.thumbnailsTooMany(retryAfter: Self.retryAfter)
        case .budgetUsedUp(let time): throw RequestFailure.inspectionUsedUp(retryAfter: time)
        case .gone: throw RequestFailure.notFound
        }
    }
}
