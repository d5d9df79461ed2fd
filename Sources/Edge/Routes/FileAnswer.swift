import HTTPTypes
import Hummingbird
import MediaStorage
import NIOCore

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
        _ media: StoredMedia, to request: Request, on channel: any Channel
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
                headers: headers(file, answer), body: body(media, answer, channel))
        case .notModified:
            return Response(status: .notModified, headers: headers(file, answer))
        case .preconditionFailed: throw .preconditionFailed
        case .rangeNotSatisfiable: throw .rangeNotSatisfiable(bytes: file.bytes)
        }
    }

    /// The answer to a GET for all of it, ready but for what belongs to the connection; nil where it
    /// can't be sent straight from a file.
    func ready(_ media: StoredMedia) -> ReadyFile? {
        guard media.file.bytes > 0, let descriptor = media.source.descriptor else { return nil }
        var lines = ByteBuffer()
        for field in headers(media.file, .whole) {
            lines.writeString("\(field.name.rawName): \(field.value)\r\n")
        }
        return ReadyFile(
            fields: lines, bytes: media.file.bytes, source: media.source, descriptor: descriptor)
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
