import Access
import HTTPTypes
import Hummingbird
import MediaStorage
import NIOCore

/// `GET /media/...`: an uploaded file, or a piece of it.
///
/// A file may be replaced under its URL, so clients may keep it but have to ask (`no-cache`), which an
/// `ETag` makes cheap. Whatever is inside, no browser takes it for a page: the type is what the
/// bytes were found to be, `nosniff`, an empty policy, and a name that is only letters.
struct MediaRoute: Sendable {
    private let services: CaptureServices
    private let door: RouteGuard

    init(_ services: CaptureServices) {
        self.services = services
        door = RouteGuard(access: services.access, scope: .captures)
    }

    func add(to router: Router<RouteContext>) {
        router.get("/media/**") { request, context in
            try await serve(request, context.channel)
        }
    }

    private func serve(
        _ request: Request, _ channel: any Channel
    ) async throws -> Response {
        let caller = try await door.admit(request)
        let text = PathText.decoded(request.uri.path.dropFirst("/media/".utf8.count))
        guard let path = text.flatMap(MediaPath.init),
            let media = try await services.media.open(path)
        else { throw RouteFailure.notFound }
        try await checkOwner(media.file, caller)
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
                headers: headers(file, answer), body: body(media, answer, channel))
        case .notModified:
            return Response(status: .notModified, headers: headers(file, answer))
        case .preconditionFailed: throw RouteFailure.preconditionFailed
        case .rangeNotSatisfiable: throw RouteFailure.rangeNotSatisfiable(bytes: file.bytes)
        }
    }

    private func checkOwner(_ file: MediaFile, _ caller: Caller) async throws {
        guard caller.user != nil else { return }
        guard let owner = try await services.owner(of: file), caller.mayReach(owner) else {
            throw RouteFailure.forbidden
        }
    }

    private func headers(_ file: MediaFile, _ answer: MediaAnswer) -> HTTPFields {
        var fields: HTTPFields = [
            .eTag: file.etag.text, .cacheControl: "private, no-cache", .acceptRanges: "bytes",
        ]
        if answer == .notModified { return fields }
        fields[.contentType] = file.contentType
        fields[.contentRange] = answer.contentRange(bytes: file.bytes)
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentSecurityPolicy] = "default-src 'none'; sandbox"
        let isKnown = MediaType(rawValue: file.contentType) != nil
        let name = file.path.text.split(separator: "/").last ?? ""
        fields[.contentDisposition] = "\(isKnown ? "inline" : "attachment"); filename=\"\(name)\""
        return fields
    }

    /// Straight from the file to the socket where that can be, else piece by piece.
    private func body(
        _ media: StoredMedia, _ answer: MediaAnswer, _ channel: any Channel
    ) -> ResponseBody {
        let range = answer.body(bytes: media.file.bytes) ?? 0..<0
        return ResponseBody(contentLength: range.count) { writer in
            if range.count >= FileOnWire.bytesMin, let descriptor = media.source.descriptor,
                try await FileOnWire.send(range, of: descriptor, to: channel)
            {
                try await writer.finish(nil)
                return
            }
            for try await piece in media.source.stream(range) { try await writer.write(piece) }
            try await writer.finish(nil)
        }
    }
}
