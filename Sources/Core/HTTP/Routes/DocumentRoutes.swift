import HTTPTypes
import Hummingbird
import Instruments
import NIOCore

/// `GET /openapi.json` and `GET /docs`: the description of all routes, for programs and for people.
struct DocumentRoutes: Sendable {
    private let document: ByteBuffer

    /// - Parameter document: the OpenAPI document.
    init(document: [UInt8]) {
        self.document = ByteBuffer(bytes: document)
    }

    var group: RouteGroup {
        RouteGroup(
            [
                .get("/openapi.json") { _, _ in
                    var response = Response.json(.ok, "")
                    response.headers[.cacheControl] = "no-cache"
                    // Pages of other origins may read it: it holds no secrets.
                    response.headers[.accessControlAllowOrigin] = "*"
                    response.body = ResponseBody(byteBuffer: document)
                    return response
                },
                .get("/docs") { _, _ in DocumentationPage().response },
            ], urgency: .usual)
    }
}
