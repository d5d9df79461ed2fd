import Encodings
public import HTTPTypes
public import Hummingbird
import NIOCore

/// The fields in the query of a request target.
public struct RequestQuery: Sendable {
    private let pairs: [(name: Substring, value: Substring)]

    /// - Parameter text: the query, without the question mark; nil if there is none.
    public init(_ text: (some StringProtocol)?) {
        pairs = (text.map { Substring($0) } ?? "").split(separator: "&").map { field in
            let mark = field.firstIndex(of: "=") ?? field.endIndex
            return (field[..<mark], field[mark...].dropFirst())
        }
    }

    /// The first value of that name, percent-decoded; nil if it is absent or can't be decoded.
    ///
    /// - Parameter plusIsSpace: decodes `+` as forms write it. In a time a plus is a plus.
    public func value(_ name: String, plusIsSpace: Bool = false) -> String? {
        guard let field = pairs.first(where: { $0.name == name }) else { return nil }
        return Self.decoded(field.value, plusIsSpace)
    }

    /// All fields in their order, percent-decoded; what can't be decoded stays as it is.
    ///
    /// - Parameter plusIsSpace: see ``value(_:plusIsSpace:)``.
    public func fields(plusIsSpace: Bool = false) -> [(name: String, value: String)] {
        pairs.map { field in
            (
                Self.decoded(field.name, plusIsSpace) ?? String(field.name),
                Self.decoded(field.value, plusIsSpace) ?? String(field.value)
            )
        }
    }

    private static func decoded(_ text: Substring, _ plusIsSpace: Bool) -> String? {
        let text = String(text)
        return PercentEncoding.decodedText(plusIsSpace ? text.replacing("+", with: " ") : text)
    }
}

extension Request {
    /// The whole body of a request, which must be declared as JSON or not at all. The content is
    /// not checked.
    ///
    /// - Throws: ``RequestFailure`` for another content type, a compressed body or a body that is
    ///   too large.
    public func jsonBody(bytesMax: Int) async throws -> [UInt8] {
        guard headers[.contentType].map(IngestHead.isJSON) ?? true else {
            throw RequestFailure.contentTypeUnsupported(expected: "application/json")
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
            throw RequestFailure.contentTypeUnsupported(expected: expected)
        }
        return try await plainBody(bytesMax: bytesMax)
    }

    private func plainBody(bytesMax: Int) async throws -> [UInt8] {
        guard headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true
        else { throw RequestFailure.encodingUnsupported }
        let declared = headers[.contentLength].map { Int($0) ?? .max } ?? 0
        guard declared <= bytesMax else { throw RequestFailure.bodyTooLarge(bytesMax: bytesMax) }
        var body: [UInt8] = []
        for try await chunk in self.body {
            guard body.count + chunk.readableBytes <= bytesMax else {
                throw RequestFailure.bodyTooLarge(bytesMax: bytesMax)
            }
            body += chunk.readableBytesView
        }
        return body
    }
}

extension Response {
    /// A response with a complete JSON text.
    public static func json(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
