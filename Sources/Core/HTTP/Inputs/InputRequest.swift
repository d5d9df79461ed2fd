public import Auth
import NIOHTTP1

/// What the head of a request says to an ``InputFormat``.
public struct InputRequest: Sendable {
    /// One object, because requests are copied more often than they are read.
    private final class Content: Sendable {
        let headers: HTTPHeaders
        let parameters: [String]
        let query: RequestQuery
        let pathKey: String?
        let binding: KeyBinding?

        init(
            headers: HTTPHeaders, parameters: [String], query: RequestQuery, pathKey: String?,
            binding: KeyBinding? = nil
        ) {
            self.headers = headers
            self.parameters = parameters
            self.query = query
            self.pathKey = pathKey
            self.binding = binding
        }
    }

    /// Of ``InputFormat/ingest``, which needs nothing of it.
    static let none = InputRequest(nil)

    private let content: Content?

    private init(_ content: Content?) {
        self.content = content
    }

    /// - Parameters:
    ///   - target: as ``RequestTargetForm/tidied(_:)`` returns it.
    ///   - pattern: of the path.
    init(_ target: String, _ headers: HTTPHeaders, _ pattern: RoutePattern) {
        var parameters = pattern.parameters(in: target) ?? []
        let pathKey = pattern.keyPlace.flatMap {
            parameters.indices.contains($0) ? parameters.remove(at: $0) : nil
        }
        content = Content(
            headers: headers, parameters: parameters,
            query: RequestQuery(RequestTargetForm.query(of: target)), pathKey: pathKey)
    }

    /// The same request, of a sender who may bring the readings of one user or device only.
    func of(_ binding: KeyBinding?) -> InputRequest {
        guard let content, let binding else { return self }
        return InputRequest(
            Content(
                headers: content.headers, parameters: content.parameters, query: content.query,
                pathKey: nil, binding: binding))
    }

    /// The values of the path's parameters in their order, percent-decoded, without the key; none
    /// if one can't be decoded.
    public var parameters: [String] { content?.parameters ?? [] }

    /// The fields of the query.
    public var query: RequestQuery { content?.query ?? RequestQuery("") }

    /// The value of a header field, in any case; those of repeated fields joined by commas. nil if
    /// there is none.
    public func field(_ name: String) -> String? {
        let values = content?.headers[name] ?? []
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// How the body is declared, without parameters such as a character set.
    var mediaType: String? {
        field("content-type").map { String($0.prefix { $0 != ";" }.trimmed) }
    }

    /// Whether the body is declared as ``InputFormat/protobufType``.
    public var isProtobuf: Bool {
        content?.headers.first(name: "content-type").map(IngestHead.contentType) == .protobuf
    }

    /// The key in the path; nil if there is none.
    var pathKey: String? { content?.pathKey }

    /// The user and the device whose readings the sender may bring; nil: anybody's. A format takes
    /// them for what a request doesn't name.
    public var binding: KeyBinding? { content?.binding }

    /// User and password of Basic authentication.
    public var basic: BasicCredentials? {
        field("authorization").flatMap { BasicCredentials(authorization: $0) }
    }
}
