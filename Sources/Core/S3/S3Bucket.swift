import Encodings

/// A bucket and the address of its server. Uses path-style addresses, which every server supports.
public struct S3Bucket: Sendable, Equatable {
    /// The usual default of `AWS_REGION`. Servers other than Amazon's accept any region.
    public static let regionDefault = "us-east-1"

    /// The bucket's name.
    public let name: String
    /// The beginning of all keys: empty, or ending in a slash.
    public let prefix: String
    /// `http` or `https`.
    public let scheme: String
    /// The server's host name, with its port unless that is the scheme's default.
    public let host: String
    /// The region in the signature.
    public let region: String

    /// The text that ``StoreLocation/parse(_:)`` reads as this bucket.
    public var location: String {
        "s3://\(name)/\(prefix)?endpoint=\(scheme)://\(host)&region=\(region)"
    }

    /// `bucket[/prefix][?endpoint=…&region=…]`
    init(parsing text: some StringProtocol) throws(StoreLocationError) {
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = halves[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(path[0])
        guard Self.isBucketName(name) else { throw .bucketInvalid }
        prefix = try Self.prefix(path.count == 2 ? String(path[1]) : "")
        let parameters = try Self.parameters(halves.count == 2 ? String(halves[1]) : "")
        region = parameters["region"] ?? Self.regionDefault
        guard !region.isEmpty, region.utf8.allSatisfy({ Self.isLabel($0) }) else {
            throw .regionInvalid
        }
        (scheme, host) = try Self.endpoint(
            parameters["endpoint"] ?? "https://s3.\(region).amazonaws.com")
    }

    private static func parameters(_ text: String) throws(StoreLocationError) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, ["endpoint", "region"].contains(parts[0]),
                parameters[String(parts[0])] == nil,
                let value = PercentEncoding.decoded(parts[1])
            else { throw .parameterUnknown }
            parameters[String(parts[0])] = String(decoding: value, as: UTF8.self)
        }
        return parameters
    }

    private static func prefix(_ text: String) throws(StoreLocationError) -> String {
        let components = text.split(separator: "/")
        guard components.allSatisfy({ $0 != "." && $0 != ".." }),
            text.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }),
            text.utf8.count <= 512
        else { throw .prefixInvalid }
        return components.map { "\($0)/" }.joined()
    }

    private static func endpoint(
        _ text: String
    ) throws(StoreLocationError) -> (scheme: String, host: String) {
        let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "http:" || parts[0] == "https:", parts[1].isEmpty else {
            throw .endpointInvalid
        }
        let scheme = String(parts[0].dropLast())
        var host = parts[2].lowercased()
        if host.hasSuffix("/") { host.removeLast() }
        // A name, an IPv4 address, or an IPv6 address in brackets; then an optional port.
        let bytes = host.utf8
        let isAllowed = bytes.allSatisfy {
            isLabel($0) || ".:[]".utf8.contains($0)
        }
        guard !host.isEmpty, isAllowed, bytes.first != UInt8(ascii: ":") else {
            throw .endpointInvalid
        }
        let own = scheme == "http" ? ":80" : ":443"
        if host.hasSuffix(own) { host.removeLast(own.utf8.count) }
        return (scheme, host)
    }

    private static func isBucketName(_ name: String) -> Bool {
        (3...63).contains(name.utf8.count)
            && name.utf8.allSatisfy { isLabel($0) || $0 == UInt8(ascii: ".") }
            && name.utf8.first != UInt8(ascii: ".") && name.utf8.last != UInt8(ascii: ".")
            && !name.contains("..")
    }

    private static func isLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
