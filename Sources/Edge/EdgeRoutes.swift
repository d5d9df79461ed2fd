import HTTPTypes
import Hummingbird
import Ingestion
import Instruments
import NIOCore

/// The routes that need no hurry: `GET /`, `GET /health`, `GET /metrics`, and HEAD of each.
struct EdgeRoutes: Sendable {
    let sink: any BatchSink
    let registry: Registry

    /// What a client that asks for the health of a server that takes nothing is told to wait.
    private static let healthRetryAfterSeconds = 5

    func router() -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: DetailMiddleware())
        router.get("/") { _, _ in Response.json(.ok, #"{"status":"ok"}"#) }
        router.get("/health") { _, _ in
            guard sink.isAvailable else {
                var response = Response.detail(.serviceUnavailable, "Database unavailable")
                response.headers[.retryAfter] = "\(Self.healthRetryAfterSeconds)"
                return response
            }
            return Response.json(.ok, #"{"status":"ok"}"#)
        }
        router.get("/metrics") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: registry.render())))
        }
        return router
    }
}

extension Response {
    /// A JSON text that is ready.
    static func json(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// An error in this system's envelope: `{"detail":…}`.
    static func detail(_ status: HTTPResponse.Status, _ text: String) -> Response {
        var body = ByteBuffer()
        body.writeStaticString("{\"detail\":")
        body.writeJSON(text)
        body.writeStaticString("}")
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: body))
    }
}
