import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.json` and `GET /docs`: what the server can be asked, for programs and for people.
struct DocumentRoutes: Sendable {
    func add(to router: Router<RouteContext>) {
        router.get("/openapi.json") { _, _ in
            var response = Response.json(.ok, "")
            response.headers[.cacheControl] = "no-cache"
            // A page of another origin may read it: nothing in it is secret.
            response.headers[.accessControlAllowOrigin] = "*"
            response.body = ResponseBody(byteBuffer: APIDocument.json)
            return response
        }
        router.get("/docs") { _, _ in DocumentationPage().response }
    }
}
