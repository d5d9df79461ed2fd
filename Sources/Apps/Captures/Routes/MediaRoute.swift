import Auth
import Encodings
import HTTP
import Hummingbird
import Inspections
import Media
import Uploads

/// `GET /media/...`: an uploaded file, or a range of it.
///
/// A file may be replaced under its URL. So clients may cache it but must revalidate (`no-cache`),
/// which an `ETag` makes cheap.
struct MediaRoute: Sendable {
    private let services: CaptureServices
    private let door: RouteGuard
    private let downloads: PlaceCounter<ClientAddress>

    init(_ services: CaptureServices, _ downloads: PlaceCounter<ClientAddress>) {
        self.services = services
        self.downloads = downloads
        door = RouteGuard(access: services.access, scope: .captures)
    }

    var route: Route {
        .get("/media/**", label: "/media") { request, context in
            try await serve(request, from: ClientAddress(context.channel))
        }
    }

    private func serve(
        _ request: Request, from address: ClientAddress?
    ) async throws -> Response {
        let caller = try await door.admit(request)
        let text = PercentEncoding.decodedText(request.uri.path.dropFirst("/media/".utf8.count))
        let place = try downloads.takeForFile(address)
        // Files of other systems have their own routes.
        guard let path = text.flatMap(MediaPath.init), path.captureID != nil,
            let media = try await services.media.open(path)
        else { throw RequestFailure.notFound }
        guard try await services.mayRead(media.file, caller) else { throw RequestFailure.forbidden }
        return try answer(for: media.file).response(media, to: request, holding: place)
    }

    /// The headers with which the file is served.
    private func answer(for file: MediaFile) -> FileAnswer {
        let isKnown = MediaType(rawValue: file.contentType) != nil
        let name = file.path.text.split(separator: "/").last ?? ""
        return FileAnswer(
            cacheControl: "private, no-cache",
            disposition: "\(isKnown ? "inline" : "attachment"); filename=\"\(name)\"")
    }
}
