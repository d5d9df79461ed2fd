import Captures
import Encodings
import HTTPTypes
import Hummingbird
import NIOCore

/// The query of a request target, field by field.
struct RequestQuery: Sendable {
    private let fields: [(name: Substring, value: Substring)]

    /// - Parameter text: what stands behind the question mark; nil: none.
    init(_ text: (some StringProtocol)?) {
        fields = (text.map { Substring($0) } ?? "").split(separator: "&").map { field in
            let mark = field.firstIndex(of: "=") ?? field.endIndex
            return (field[..<mark], field[mark...].dropFirst())
        }
    }

    /// The first value of that name, percent-decoded. What can't be decoded counts as absent.
    ///
    /// - Parameter plusIsSpace: as forms write it. In a time a plus is a plus.
    func value(_ name: String, plusIsSpace: Bool = false) -> String? {
        guard let field = fields.first(where: { $0.name == name }) else { return nil }
        let text = String(field.value)
        return PercentEncoding.decodedText(plusIsSpace ? text.replacing("+", with: " ") : text)
    }
}

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

/// What stands between two slashes of a path.
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

    /// A day of the calendar, `YYYY-MM-DD`, as it came.
    static func date(_ text: some StringProtocol) throws(RouteFailure) -> String {
        let text = String(text)
        guard MemoryQueries.isDate(text) else { throw .dateInvalid }
        return text
    }
}

/// A request's body that tells the connection's handlers when it is first asked for.
struct AskedBody: AsyncSequence, Sendable {
    /// Told to a connection's handlers: the body of the present request is waited for.
    struct Asked: Sendable {}

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        /// nil: it has been told.
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
    /// A JSON text that is ready.
    static func json(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// An error in the envelope of the system that it belongs to.
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
    /// Whole seconds, rounded up, and up to half more by chance, so that those who were turned away
    /// together do not come back together.
    static func seconds(_ time: Duration) -> String {
        let exact = time / .seconds(1)
        return "\(max(1, Int((exact * Double.random(in: 1...1.5)).rounded(.up))))"
    }
}
