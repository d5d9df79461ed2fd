/// The OpenAPI document of every route, `openapi.json` beside this file. A test compares it with
/// the actual routes.
enum APIDocument {
    /// The document's bytes.
    static let json = Embedded.openapi_json
}
