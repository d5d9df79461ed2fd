import Access
import Hummingbird
import MediaStorage

/// `GET /media/...`: an uploaded file, or a piece of it.
///
/// A file may be replaced under its URL, so clients may keep it but have to ask (`no-cache`), which an
/// `ETag` makes cheap.
struct MediaRoute: Sendable {
    private let services: CaptureServices
    private let door: RouteGuard

    init(_ services: CaptureServices) {
        self.services = services
        door = RouteGuard(access: services.access, scope: .captures)
    }

    func add(to router: Router<RouteContext>) {
        router.get("/media/**") { request, _ in try await serve(request) }
    }

    private func serve(_ request: Request) async throws -> Response {
        let caller = try await door.admit(request)
        let text = PathText.decoded(request.uri.path.dropFirst("/media/".utf8.count))
        // Files of other systems have routes of their own.
        guard let path = text.flatMap(MediaPath.init), path.captureID != nil,
            let media = try await services.media.open(path)
        else { throw RouteFailure.notFound }
        try await checkOwner(media.file, caller)
        return try answer(for: media.file).response(media, to: request)
    }

    /// How the file is served.
    private func answer(for file: MediaFile) -> FileAnswer {
        let isKnown = MediaType(rawValue: file.contentType) != nil
        let name = file.path.text.split(separator: "/").last ?? ""
        return FileAnswer(
            cacheControl: "private, no-cache",
            disposition: "\(isKnown ? "inline" : "attachment"); filename=\"\(name)\"")
    }

    private func checkOwner(_ file: MediaFile, _ caller: Caller) async throws {
        guard caller.user != nil else { return }
        guard let owner = try await services.owner(of: file), caller.mayReach(owner) else {
            throw RouteFailure.forbidden
        }
    }
}
