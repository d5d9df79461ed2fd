public import NIOHTTP1

/// One request to a bucket's server, without its signature.
public struct S3Request: Sendable {
    var method: HTTPMethod = .GET
    /// The path after the bucket; empty for the bucket itself.
    var key = ""
    var query: [(String, String)] = []
    var headers: [(String, String)] = []
    var body: S3Body = .none

    /// - Parameters:
    ///   - key: the path after the bucket; empty for the bucket itself.
    ///   - query: not encoded.
    ///   - headers: names in lower case.
    public init(
        method: HTTPMethod = .GET, key: String = "", query: [(String, String)] = [],
        headers: [(String, String)] = [], body: S3Body = .none
    ) {
        self.method = method
        self.key = key
        self.query = query
        self.headers = headers
        self.body = body
    }
}
