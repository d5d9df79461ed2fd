public import HTTP
import HTTPTypes
public import Hummingbird
public import Media

/// The answer to a GET or HEAD for a stored file: all of it, a range, or that the client's copy is
/// current.
///
/// No browser interprets the file as a page: its type was detected from its bytes, and it is sent
/// with `nosniff` and a policy that allows nothing.
public struct FileAnswer {
    /// The value of `Cache-Control`.
    let cacheControl: String
    /// The value of `Content-Disposition`.
    let disposition: String

    /// - Parameters:
    ///   - cacheControl: the value of `Cache-Control`.
    ///   - disposition: the value of `Content-Disposition`.
    public init(cacheControl: String, disposition: String) {
        self.cacheControl = cacheControl
        self.disposition = disposition
    }

    /// The response to a request for a file.
    ///
    /// - Parameter place: held as long as the file is open.
    /// - Throws: ``RequestFailure/preconditionFailed`` or
    ///   ``RequestFailure/rangeNotSatisfiable(bytes:)``.
    public func response(
        _ media: StoredMedia, to request: Request, holding place: PlaceCounter<ClientAddress>.Place
    ) throws(RequestFailure) -> Response {
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
        _ media: StoredMedia, _ answer: MediaAnswer, _ place: PlaceCounter<ClientAddress>.Place
    ) -> ResponseBody {
        let range = answer.body(bytes: media.file.bytes) ?? 0..<0
        return ResponseBody(contentLength: range.count) { writer in
            for try await piece in media.source.stream(range) { try await writer.write(piece) }
            try await writer.finish(nil)
            withExtendedLifetime(place) {}
        }
    }
}
