import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Edge

/// The quick way of a GET, beside what the HTTP decoder makes of the same bytes.
struct FileHeadTests {
    private static let media = "/media/memories/a-1/photo.jpg"
    private static let journal = "/api/users/user/kim/multimedia/files/0123456789abcdef"

    /// Lines in front of the empty one.
    private static func head(_ lines: String..., path: String = media) -> String {
        (["GET \(path) HTTP/1.1"] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// Heads that are recognised, and what else a client may send.
    private static let usual: [String] = [
        head("Host: a"), head("Host: a.example:81", "X-API-Key: k"),
        head("hOST:a", "x-api-KEY:  k"),
        head("Host: 127.0.0.1", "Authorization: Bearer a.b.c", path: journal),
        head("Host: a", "Connection: Keep-Alive", "Origin: http://b", "Accept: image/*"),
        head(
            "User-Agent: a/1 (b; c) d", "Accept-Encoding: gzip, br",
            "Accept-Language: de-DE,de;q=0.9",
            "Host: a", "Cache-Control: no-cache", "Cookie: a=b", "X-Forwarded-For: 10.0.0.1",
            "Authorization: Basic x", "X-API-Key: k", "Referer: http://a/?b=c#d"),
        head("Host: a", "X-API-Key:"), head("Host: a", "Authorization: "),
        head("Host: a", path: "/media/memories/../photo.jpg"),
        head("Host: a", path: "/media/memories/a_b~c.d/x"),
        head("Host: a", path: "/api/users/user/../multimedia/files/x"),
    ]

    private static let unusual: [String] = [
        head(), head("Host:"), head("Host: a", "Host: a"),
        head("Host: a", "X-API-Key: a", "X-API-Key: a"),
        head("Host: a", "Authorization: a", "Authorization: a"),
        head("Host: a", "Origin: a", "Origin: a"),
        head("Host: a", "Connection: close"), head("Host: a", "Connection: upgrade"),
        head("Host: a", "Connection:"), head("Host: a", "Proxy-Connection: keep-alive"),
        head("Host: a", "Content-Length: 0"), head("Host: a", "Content-Length: 3") + "abc",
        head("Host: a", "Transfer-Encoding: chunked") + "0\r\n\r\n",
        head("Host: a", "Expect: 100-continue"), head("Host: a", "Upgrade: websocket"),
        head("Host: a", "Range: bytes=0-1"), head("Host: a", "If-Range: x"),
        head("Host: a", "If-Match: x"),
        head("Host: a", "IF-NONE-MATCH: x"), head("Host: a", "If-Modified-Since: x"),
        head("Host: a", "If-Unmodified-Since: x"),
        head("Host: a "), head("Host: a\t"), head("Host : a"), head("Host: a", " b"),
        head("Host: \u{e4}"),
        head("Host: a", "b"), head("Host: a", "X-\u{0}: b"), head("Host: a\rb"),
        "GET \(media) HTTP/1.1\nHost: a\n\n", "GET \(media) HTTP/1.0\r\nHost: a\r\n\r\n",
        "GET  \(media) HTTP/1.1\r\nHost: a\r\n\r\n", "GET \(media)\r\n\r\n",
        "HEAD \(media) HTTP/1.1\r\nHost: a\r\n\r\n", "GETX \(media) HTTP/1.1\r\nHost: a\r\n\r\n",
        "get \(media) HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n" + head("Host: a"),
        head("Host: a", path: media + "?x"), head("Host: a", path: media + "#x"),
        head("Host: a", path: media + "/"), head("Host: a", path: media + "/x"),
        head("Host: a", path: "/media/memories/a%62/photo.jpg"),
        head("Host: a", path: "/media/memories/a"),
        head("Host: a", path: "/media/memories//photo.jpg"),
        head("Host: a", path: "/media/journal/a/b"),
        head("Host: a", path: "//media/memories/a/b"),
        head("Host: a", path: "/media/memories/a@b/c"),
        head("Host: a", path: "http://a" + media), head("Host: a", path: "/"),
        head("Host: a", path: "*"),
        head("Host: a", path: journal + "/x"), head("Host: a", path: journal + "?w=1"),
        head("Host: a", path: "/api/users/user//multimedia/files/a"),
        head("Host: a", path: "/api/users/user/kim/multimedia/files/"),
        head("Host: a", path: "/api/users/user/kim/multimedia/swift"),
        head("Host: a", path: "/api/users/user/kim/moods/files/a"),
    ]

    private static func recognise(
        _ bytes: some Sequence<UInt8>, bytesMax: Int = 8192, fieldsMax: Int = 100
    ) -> FileHead.Recognition {
        let buffer = ByteBuffer(bytes: bytes)
        return FileHead.recognise(
            buffer.readableBytesSpan, bytesMax: bytesMax, fieldsMax: fieldsMax)
    }

    /// What the long way asks for; nil: it is the router's.
    private static func decoded(_ text: String) throws -> FileWanted? {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        try channel.writeInbound(ByteBuffer(string: text))
        guard case .head(let head) = try channel.readInbound(as: HTTPServerRequestPart.self) else {
            return nil
        }
        let framing = IngestHead(head).framing
        guard framing.keepAlive else { return nil }
        return FileFetch(head, Route(uri: head.uri), framing)?.wanted
    }

    @Test(arguments: usual)
    func `what is recognised is what the decoder sees, wherever the bytes are cut`(
        text: String
    ) throws {
        let expected = try #require(try Self.decoded(text))
        let bytes = Array(text.utf8)
        for behind in ["", "GET /", "\r\n"] {
            guard case .head(let wanted, let count) = Self.recognise(bytes + behind.utf8) else {
                Issue.record("not recognised")
                return
            }
            #expect(wanted == expected)
            #expect(count == bytes.count)
        }
        for cut in 0..<bytes.count {
            guard case .incomplete = Self.recognise(bytes[..<cut]) else {
                Issue.record("cut at \(cut)")
                return
            }
        }
    }

    @Test(arguments: unusual)
    func `what is not plainly such a GET is left to the decoder`(text: String) {
        guard case .unusual = Self.recognise(text.utf8) else {
            Issue.record("recognised")
            return
        }
    }

    @Test func `no change of a byte makes the two ways differ`() throws {
        let interesting = Array("GaZ09 \t\r\n:/?#%.-~@\u{0}".utf8) + [0x7F, 0x80, 0xFF]
        for text in Self.usual {
            let bytes = Array(text.utf8)
            for place in bytes.indices {
                for byte in interesting where byte != bytes[place] {
                    var changed = bytes
                    changed[place] = byte
                    guard case .head(let wanted, let count) = Self.recognise(changed) else {
                        continue
                    }
                    let head = String(decoding: changed[..<count], as: UTF8.self)
                    #expect(try Self.decoded(head) == wanted, "\(head)")
                }
            }
        }
    }

    @Test func `a head that is too large is left to the decoder`() {
        let text = Self.usual[5]
        let fields = text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) - 2
        guard
            case .head = Self.recognise(
                text.utf8, bytesMax: text.utf8.count, fieldsMax: fields),
            case .unusual = Self.recognise(text.utf8, bytesMax: text.utf8.count - 1),
            case .unusual = Self.recognise(text.utf8, fieldsMax: fields - 1),
            case .unusual = Self.recognise("GET /media/memories/aaaa".utf8, bytesMax: 20)
        else {
            Issue.record("\(text.utf8.count)")
            return
        }
    }
}
