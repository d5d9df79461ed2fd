import Access
import NIOHTTP1

/// A GET for the whole of a stored file, with nothing in its head that would make it anything else.
struct FileFetch {
    let head: HTTPRequestHead
    /// What is looked for.
    let wanted: FileWanted

    /// - Returns: nil for what the router has to look at: another path or method, a query, a range, a
    ///   condition, anything that stands twice or in a form that most clients do not use.
    init?(_ head: HTTPRequestHead, _ route: Route, _ framing: RequestFraming) {
        guard route == .media || route == .journalFile, head.method == .GET,
            head.version == .http1_1, framing.declaredBytes == 0, !framing.expectsContinue,
            head.uri.utf8.allSatisfy(Self.isPlain)
        else { return nil }
        var fields = Fields()
        for (name, value) in head.headers {
            guard fields.take(name, value) else { return nil }
        }
        guard let host = fields.host, !host.isEmpty else { return nil }
        self.head = head
        wanted = FileWanted(
            path: head.uri,
            credentials: Credentials(
                token: PresentedToken.read(
                    authorization: fields.authorization, apiKey: fields.apiKey),
                origin: fields.origin, authority: host))
    }

    /// What stands for itself in a path.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
            && byte != UInt8(ascii: "%")
    }

    private struct Fields {
        var host: String?
        var origin: String?
        var apiKey: String?
        var authorization: String?

        /// - Returns: false if it makes the request an unusual one.
        mutating func take(_ name: String, _ value: String) -> Bool {
            switch name.utf8.count {
            case 4 where name.isField("host"): Self.set(&host, value)
            case 5: !name.isField("range")
            case 6 where name.isField("origin"): Self.set(&origin, value)
            case 6: !name.isField("expect")
            case 7: !name.isField("upgrade")
            case 8: !name.isField("if-range") && !name.isField("if-match")
            case 9 where name.isField("x-api-key"): Self.set(&apiKey, value)
            case 13 where name.isField("authorization"): Self.set(&authorization, value)
            case 13: !name.isField("if-none-match")
            case 17: !name.isField("if-modified-since") && !name.isField("transfer-encoding")
            case 19: !name.isField("if-unmodified-since")
            default: true
            }
        }

        private static func set(_ field: inout String?, _ value: String) -> Bool {
            guard field == nil else { return false }
            field = value
            return true
        }
    }
}
