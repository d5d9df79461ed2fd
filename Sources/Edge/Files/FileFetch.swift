import NIOCore
import NIOHTTP1

/// A GET for the whole of a stored file, with nothing in its head that would make it anything else.
struct FileFetch {
    /// How the request came, and so can be handed on.
    enum Request {
        case head(HTTPRequestHead)
        /// The quick way: nobody else has seen it.
        case bytes(ByteBuffer)
    }

    let request: Request
    /// What is looked for.
    let wanted: FileWanted

    init(_ wanted: FileWanted, asSent bytes: ByteBuffer) {
        self.wanted = wanted
        request = .bytes(bytes)
    }

    /// - Returns: nil for what the router has to look at: another path or method, a query, a range, a
    ///   condition, anything that stands twice or in a form that most clients do not use.
    init?(_ head: HTTPRequestHead, _ route: Route, _ framing: RequestFraming) {
        guard route == .media || route == .journalFile, head.method == .GET,
            head.version == .http1_1, framing.declaredBytes == 0, !framing.expectsContinue,
            head.uri.utf8.allSatisfy(Self.isPlain)
        else { return nil }
        var fields = FileFields()
        for (name, value) in head.headers {
            let field = FileField(length: name.utf8.count) { name.isField($0) }
            guard fields.take(field, value) else { return nil }
        }
        guard let credentials = fields.credentials else { return nil }
        request = .head(head)
        wanted = FileWanted(route: route, path: head.uri, credentials: credentials)
    }

    /// What stands for itself in a path.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
            && byte != UInt8(ascii: "%")
    }
}
