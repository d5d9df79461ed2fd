public import HTTPTypes
public import Hummingbird

/// One route as a value: a method of a path, and what answers it.
///
/// The path's segments are literal or a parameter in braces; `**` at the end stands for one or more
/// further segments. Of two paths that fit a target, the one that comes first in the ``RouteTable``
/// counts, so `/things/new` must come before `/things/{id}`.
public struct Route: Sendable {
    /// Answers a request. Whatever it throws becomes an answer in the path's envelope.
    public typealias Handler = @Sendable (Request, RouteContext) async throws -> Response

    /// nil: WebSockets only (``socket``); every method gets a 426.
    let method: HTTPRequest.Method?
    let path: String
    /// The `route` label of metrics; routes may share one.
    let label: String
    /// nil: the envelope of the group.
    let envelope: ErrorEnvelope?
    /// nil: it is answered before the router.
    let handler: Handler?
    /// Of a route that takes readings.
    let input: InputFormat?
    /// Of a route for WebSockets.
    let socket: SocketPath?

    init(
        _ method: HTTPRequest.Method?, _ path: String, _ label: String?,
        _ envelope: ErrorEnvelope?, _ handler: Handler?, input: InputFormat? = nil,
        socket: SocketPath? = nil
    ) {
        self.method = method
        self.path = path
        self.label = label ?? path
        self.envelope = envelope
        self.handler = handler
        self.input = input
        self.socket = socket
    }

    /// A GET, which also serves HEAD.
    ///
    /// - Parameters:
    ///   - label: of metrics; nil means the path.
    ///   - envelope: of errors; nil means that of the group.
    public static func get(
        _ path: String, label: String? = nil, in envelope: ErrorEnvelope? = nil,
        _ handler: @escaping Handler
    ) -> Route {
        Route(.get, path, label, envelope, handler)
    }

    /// A POST; the parameters are those of ``get(_:label:in:_:)``.
    public static func post(
        _ path: String, label: String? = nil, in envelope: ErrorEnvelope? = nil,
        _ handler: @escaping Handler
    ) -> Route {
        Route(.post, path, label, envelope, handler)
    }

    /// A PUT; the parameters are those of ``get(_:label:in:_:)``.
    public static func put(
        _ path: String, label: String? = nil, in envelope: ErrorEnvelope? = nil,
        _ handler: @escaping Handler
    ) -> Route {
        Route(.put, path, label, envelope, handler)
    }

    /// A PATCH; the parameters are those of ``get(_:label:in:_:)``.
    public static func patch(
        _ path: String, label: String? = nil, in envelope: ErrorEnvelope? = nil,
        _ handler: @escaping Handler
    ) -> Route {
        Route(.patch, path, label, envelope, handler)
    }

    /// A DELETE; the parameters are those of ``get(_:label:in:_:)``.
    public static func delete(
        _ path: String, label: String? = nil, in envelope: ErrorEnvelope? = nil,
        _ handler: @escaping Handler
    ) -> Route {
        Route(.delete, path, label, envelope, handler)
    }

    /// A path to which devices post readings.
    ///
    /// - Parameters:
    ///   - method: a GET has its readings in the query.
    ///   - path: a parameter `{key}` is the sender's key, where no header has one.
    ///   - label: of metrics; nil means the path.
    ///   - envelope: of errors; nil means that of the group.
    public static func input(
        _ method: HTTPRequest.Method, _ path: String, label: String? = nil,
        in envelope: ErrorEnvelope? = nil, _ format: InputFormat
    ) -> Route {
        Route(method, path, label, envelope, nil, input: format)
    }

    /// The path of WebSockets.
    ///
    /// - Parameters:
    ///   - label: of metrics; nil means the path.
    ///   - application: serves them.
    ///   - match: makes the socket's route of the values of the path's parameters, in their order
    ///     and percent-decoded; nil means that there is nothing under this path.
    public static func socket(
        _ path: String, label: String? = nil, _ application: any SocketApplication,
        _ match: @escaping @Sendable (_ parameters: [String]) -> SocketRoute?
    ) -> Route {
        Route(nil, path, label, nil, nil, socket: SocketPath(application, match))
    }
}
