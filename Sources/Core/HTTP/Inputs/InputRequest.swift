import Auth
import Encodings
import NIOHTTP1

/// What the head of a request says to an ``InputFormat``.
public struct InputRequest: Sendable {
    /// One object, because requests are copied more often than they are read.
    private final class Content: Sendable {
        let headers: HTTPHeaders
        let parameters: [String]
        let query: RequestQuery

        init(headers: HTTPHeaders, parameters: [String], query: RequestQuery) {
            self.headers = headers
            self.parameters = parameters
            self.query = query
        }
    }

    /// Of ``InputFormat/ingest``, which needs nothing of it.
    static let none = InputRequest(nil)

    private let content: Content?

    private init(_ content: Content?) {
        self.content = content
    }

    /// - Parameter pattern: of the path.
    init(_ head: HTTPRequestHead, _ pattern: RoutePattern) {
        let path = RequestTargetForm.path(of: head.uri) ?? ""
        content = Content(
            headers: head.headers,
            parameters: pattern.parameters(RoutePattern.segments(of: path)) ?? [],
            query: RequestQuery(RequestTargetForm.query(of: head.uri)))
    }

    /// The values of the path's parameters in their order, percent-decoded; none if one can't be
    /// decoded.
    public var parameters: [String] { content?.parameters ?? [] }

    /// The fields of the query.
    public var query: RequestQuery { content?.query ?? RequestQuery("") }

    /// The value of a header field, in any case; those of repeated fields joined by commas. nil if
    /// there is none.
    public func field(_ name: String) -> String? {
        let values = content?.headers[name] ?? []
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The key, wherever clients may be able to put it: in `X-API-Key`, as a bearer token, or as the
    /// password of Basic authentication.
    public var key: String? {
        if let basic { return basic.password }
        return PresentedToken.read(
            authorization: field("authorization"), apiKey: field("x-api-key"))
    }

    /// User and password of Basic authentication (RFC 7617).
    public var basic: (user: String, password: String)? {
        guard let text = field("authorization"), text.lowercased().hasPrefix("basic ")
        else { return nil }
        let base64 = text.dropFirst(6).replacing("+", with: "-").replacing("/", with: "_")
        guard let bytes = Base64URL.decode(base64.filter { $0 != " " && $0 != "=" }.utf8),
            let pair = String(validating: bytes, as: UTF8.self),
            let colon = pair.firstIndex(of: ":")
        else { return nil }
        return (String(pair[..<colon]), String(pair[pair.index(after: colon)...]))
    }
}
