/// A `multipart/form-data` body as the apps build it.
struct FormBody {
    static let boundary = "sluice-6f1c5c0e"
    private(set) var bytes: [UInt8] = []

    mutating func text(_ name: String, _ value: String) {
        bytes += Array("--\(Self.boundary)\r\n".utf8)
        bytes += Array("Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }

    mutating func file(
        _ name: String, _ content: [UInt8], filename: String? = "image.jpg",
        type: String = "image/jpeg"
    ) {
        let filename = filename.map { "; filename=\"\($0)\"" } ?? ""
        bytes += Array("--\(Self.boundary)\r\n".utf8)
        bytes += Array(
            "Content-Disposition: form-data; name=\"\(name)\"\(filename)\r\n".utf8)
        bytes += Array("Content-Type: \(type)\r\n\r\n".utf8)
        bytes += content + [13, 10]
    }

    /// The body with its closing boundary.
    var closed: [UInt8] { bytes + Array("--\(Self.boundary)--\r\n".utf8) }

    /// Builds a closed body in place.
    static func make(_ build: (inout FormBody) throws -> Void) rethrows -> [UInt8] {
        var body = FormBody()
        try build(&body)
        return body.closed
    }
}
