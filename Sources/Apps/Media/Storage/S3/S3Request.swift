import AsyncHTTPClient
import Glibc
import NIOHTTP1

/// One request to a bucket's server, without its signature.
struct S3Request: Sendable {
    var method: HTTPMethod = .GET
    /// The path after the bucket; empty for the bucket itself.
    var key = ""
    var query: [(String, String)] = []
    var headers: [(String, String)] = []
    var body: S3Body = .none
}
