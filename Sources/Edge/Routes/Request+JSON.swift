import HTTPTypes
import Hummingbird

extension Request {
    /// The whole body of a request whose body is JSON, or nothing. What is inside is not looked at.
    ///
    /// - Throws: ``RouteFailure`` for another content type, a compressed body, or too large a one.
    func jsonBody(bytesMax: Int) async throws -> [UInt8] {
        guard headers[.contentType].map(IngestHead.isJSON) ?? true else {
            throw RouteFailure.contentTypeUnsupported(expected: "application/json")
        }
        return try await plainBody(bytesMax: bytesMax)
    }

    /// The whole body of a form as browsers send it (URL Standard, section 5).
    ///
    /// - Throws: as ``jsonBody(bytesMax:)``.
    func formBody(bytesMax: Int) async throws -> [UInt8] {
        let expected = "application/x-www-form-urlencoded"
        let type = headers[.contentType]?.prefix { $0 != ";" && $0 != " " }
        guard type?.lowercased() == expected else {
            throw RouteFailure.contentTypeUnsupported(expected: expected)
        }
        return try await plainBody(bytesMax: bytesMax)
    }

    private func plainBody(bytesMax: Int) async throws -> [UInt8] {
        guard headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true
        else { throw RouteFailure.encodingUnsupported }
        let declared = headers[.contentLength].map { Int($0) ?? .max } ?? 0
        guard declared <= bytesMax else { throw RouteFailure.bodyTooLarge(bytesMax: bytesMax) }
        var body: [UInt8] = []
        for try await chunk in self.body {
            guard body.count + chunk.readableBytes <= bytesMax else {
                throw RouteFailure.bodyTooLarge(bytesMax: bytesMax)
            }
            body += chunk.readableBytesView
        }
        return body
    }
}
