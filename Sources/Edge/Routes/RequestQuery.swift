import Captures
import Encodings
import HTTPTypes
import Hummingbird
import NIOCore

/// The fields in the query of a request target.
struct RequestQuery: Sendable {
    private let fields: [(name: Substring, value: Substring)]

    /// - Parameter text: the query, without the question mark; nil if there is none.
    init(_ text: (some StringProtocol)?) {
        fields = (text.map { Substring($0) } ?? "").split(separator: "&").map { field in
            let mark = field.firstIndex(of: "=") ?? field.endIndex
            return (field[..<mark], field[mark...].dropFirst())
        }
    }

    /// The first value of that name, percent-decoded; nil if it is absent or can't be decoded.
    ///
    /// - Parameter plusIsSpace: decodes `+` as forms write it. In a time a plus is a plus.
    func value(_ name: String, plusIsSpace: Bool = false) -> String? {
        guard let field = fields.first(where: { $0.name == name }) else { return nil }
        let text = String(field.value)
        return PercentEncoding.decodedText(plusIsSpace ? text.replacing("+", with: " ") : text)
    }
}

extension Request {
    /// The whole body of a request, which must be declared as JSON or not at all. The content is
    /// not checked.
    ///
    /// - Throws: ``RouteFailure`` for another content type, a compressed body or a body that is too
    ///   large.
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

/// Validates segments of a path.
enum PathText {
    static func user(_ text: some StringProtocol) throws(RouteFailure) -> String {
        guard let user = PercentEncoding.decodedText(text), Capture.isUserID(user) else {
            throw .userInvalid
        }
        return user
    }

    static func captureID(_ text: some StringProtocol) throws(RouteFailure) -> String {
        guard let id = PercentEncoding.decodedText(text), Capture.isID(id) else {
            throw .captureIDInvalid
        }
        return id
    }

    /// A day of the calendar, `YYYY-MM-DD`, as sent.
    static func date(_ text: some StringProtocol) throws(RouteFailure) -> String {
        let text = String(text)
        guard MemoryQueries.isDate(text) else { throw .dateInvalid }
        return text
    }
}

/// A request's body that tells the connection's handlers when it is first read.
struct AskedBody: AsyncSequence, Sendable {
    /// The event: the body of the present request is wanted.
    struct Asked: Sendable {}

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        /// nil once the handlers have been told.
        fileprivate var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            channel.take()?.triggerUserOutboundEvent(Asked(), promise: nil)
            return try await body.next()
        }
    }

    let body: RequestBody
    let channel: any Channel

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: body.makeAsyncIterator(), channel: channel)
    }
}

extension Response {
    /// A response with a complete JSON text.
    static func json(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// An error in the envelope of its system.
    static func error(
        _ status: HTTPResponse.Status, _ sentence: String,
        _ problem: ErrorProblem = ErrorProblem(), in envelope: ErrorEnvelope
    ) -> Response {
        var body = ByteBuffer()
        envelope.write(sentence, status: status.code, problem, to: &body)
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: body))
    }
}

/// The value of `Retry-After`.
enum RetryAfter {
    /// Whole seconds, rounded up after adding a random part of up to half, so that clients that
    /// were rejected together do not return together.
    static func seconds(_ time: Duration) -> String {
        let exact = time / .seconds(1)
        return "\(max(1, Int((exact * Double.random(in: 1...1.5)).rounded(.up))))"
    }
}
