import NIOCore

/// The OpenAPI document of every route, `openapi.json` beside this file. A test compares it with the
/// routes there are.
enum APIDocument {
    /// The document's bytes.
    static let json = ByteBuffer(bytes: PackageResources.openapi_json)
}
