import Access
import Encodings
import HTTPTypes
import Hummingbird
import Inspections
import Media

/// `GET /media/...`: an uploaded file, or a range of it.
///
/// A file may be replaced under its URL. So clients may cache it but must revalidate (`no-cache`),
/// which an `ETag` makes cheap.
struct MediaRoute: Sendable {
    private let services: CaptureServices
    private let door: RouteGuard
    private let downloads: PlaceCounter

    init(_ services: CaptureServices, _ downloads: PlaceCounter) {
        self.services = services
        self.downloads = downloads
        door = RouteGuard(access: services.access, scope: .captures)
    }

    func add(to router: Router<RouteContext>) {
        router.get("/media/**") { request, _ in try await serve(request) }
    }

    private func serve(_ request: Request) async throws -> Response {
        let caller = try await door.admit(request)
        let text = PercentEncoding.decodedText(request.uri.path.dropFirst("/media/".utf8.count))
        let place = try downloads.takeForFile()
        // Files of other systems have their own routes.
        guard let path = text.flatMap(MediaPath.init), path.captureID != nil,
            let media = try await services.media.open(path)
        else { throw RouteFailure.notFound }
        guard try await services.mayRead(media.file, caller) else { throw RouteFailure.forbidden }
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

/// The answer to a GET or HEAD for a stored file: all of it, a range, or that the client's copy is
/// current.
///
/// No browser interprets the file as a page: its type was detected from its bytes, and it is sent
/// with `nosniff` and a policy that allows nothing.
struct FileAnswer {
    /// The value of `Cache-Control`.
    let cacheControl: String
    /// The value of `Content-Disposition`.
    let disposition: String

    /// - Parameter place: held as long as the file is open.
    /// - Throws: ``RouteFailure/preconditionFailed`` or
    ///   ``RouteFailure/rangeNotSatisfiable(bytes:)``.
    func response(
        _ media: StoredMedia, to request: Request, holding place: PlaceCounter.Place
    ) throws(RouteFailure) -> Response {
        let file = media.file
        let fields = request.headers
        let answer = MediaAnswer(
            bytes: file.bytes, etag: file.etag, isGet: request.method == .get,
            ifMatch: fields[.ifMatch], ifNoneMatch: fields[.ifNoneMatch], range: fields[.range],
            ifRange: fields[.ifRange])
        switch answer {
        case .whole, .part:
            return Response(
                status: HTTPResponse.Status(code: answer.status),
                headers: headers(file, answer), body: body(media, answer, place))
        case .notModified:
            return Response(status: .notModified, headers: headers(file, answer))
        case .preconditionFailed: throw .preconditionFailed
        case .rangeNotSatisfiable: throw .rangeNotSatisfiable(bytes: file.bytes)
        }
    }

    private func headers(_ file: MediaFile, _ answer: MediaAnswer) -> HTTPFields {
        var fields: HTTPFields = [
            .eTag: file.etag.text, .cacheControl: cacheControl, .acceptRanges: "bytes",
        ]
        if answer == .notModified { return fields }
        fields[.contentType] = file.contentType
        fields[.contentRange] = answer.contentRange(bytes: file.bytes)
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        fields[.contentDisposition] = disposition
        return fields
    }

    /// Streams the file in pieces, as fast as the client reads.
    private func body(
        _ media: StoredMedia, _ answer: MediaAnswer, _ place: PlaceCounter.Place
    ) -> ResponseBody {
        let range = answer.body(bytes: media.file.bytes) ?? 0..<0
        return ResponseBody(contentLength: range.count) { writer in
            for try await piece in media.source.stream(range) { try await writer.write(piece) }
            try await writer.finish(nil)
            withExtendedLifetime(place) {}
        }
    }
}

extension PlaceCounter {
    /// About the time that a download takes.
    private static let retryAfter = Duration.seconds(5)

    /// - Throws: ``RouteFailure/downloadsTooMany(retryAfter:)``.
    func takeForFile() throws(RouteFailure) -> Place {
        guard let place = take() else { throw .downloadsTooMany(retryAfter: Self.retryAfter) }
        return place
    }
}
