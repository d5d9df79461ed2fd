import HTTPTypes
import Hummingbird
import MediaStorage

/// The answer to a GET or HEAD for a stored file: all of it, a range, or that the client has it.
///
/// Whatever is inside, no browser takes it for a page: the type is what the bytes were found to be,
/// `nosniff`, and a policy that allows nothing.
struct FileAnswer {
    /// Whom the answer is for, and for how long.
    let cacheControl: String
    /// How it is shown, and what it is called.
    let disposition: String

    /// - Throws: ``RouteFailure/preconditionFailed`` or ``RouteFailure/rangeNotSatisfiable(bytes:)``.
    func response(
        _ media: StoredMedia, to request: Request
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
                headers: headers(file, answer), body: body(media, answer))
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

    /// Piece by piece, as fast as the client reads.
    private func body(_ media: StoredMedia, _ answer: MediaAnswer) -> ResponseBody {
        let range = answer.body(bytes: media.file.bytes) ?? 0..<0
        return ResponseBody(contentLength: range.count) { writer in
            for try await piece in media.source.stream(range) { try await writer.write(piece) }
            try await writer.finish(nil)
        }
    }
}
