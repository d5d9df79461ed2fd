@testable import HTTPSupport

/// A `multipart/form-data` body.
struct FormBody {
    struct Part {
        var name = "file"
        var filename: String?
        var type: String?
        var content: [UInt8]
    }

    static let boundary = "----boundary7MA4YWxkTrZu0gW"
    static let field = "Content-Type: multipart/form-data; boundary=\(boundary)"
    static let fields = [field, "X-API-Key: \(AppServer.key)"]

    /// The first bytes of a JPEG, and more.
    static func jpeg(_ count: Int = 2000, seed: UInt8 = 1) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0]
            + (0..<max(0, count - 11)).map { UInt8(truncatingIfNeeded: $0 &* 31) &+ seed }
    }

    static func wav(_ count: Int = 2000) -> [UInt8] {
        Array("RIFF".utf8) + [0, 8, 0, 0] + Array("WAVEfmt ".utf8)
            + [UInt8](repeating: 7, count: count)
    }

    static func bytes(_ parts: [Part]) -> [UInt8] {
        var body: [UInt8] = []
        for part in parts {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\""
            if let filename = part.filename { head += "; filename=\"\(filename)\"" }
            if let type = part.type { head += "\r\nContent-Type: \(type)" }
            body += Array((head + "\r\n\r\n").utf8) + part.content + Array("\r\n".utf8)
        }
        return body + Array("--\(boundary)--\r\n".utf8)
    }

    static func photo(_ content: [UInt8] = jpeg()) -> [UInt8] {
        bytes([Part(filename: "image.jpg", type: "image/jpeg", content: content)])
    }
}
