import Hummingbird

/// The base of the URLs that this server gives out.
struct PublicURL: Sendable, Equatable {
    /// Without a slash at the end.
    let text: String

    /// - Returns: nil if the text is not the base of an HTTP URL.
    init?(configured text: String) {
        var text = text[...]
        while text.last == "/" { text.removeLast() }
        for scheme in ["http://", "https://"] where text.lowercased().hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            let host = rest.prefix { $0 != "/" }
            guard Self.isAuthority(host), rest.utf8.allSatisfy(Self.isPlain) else { return nil }
            self.text = String(text)
            return
        }
        return nil
    }

    /// The scheme and host with which the request came.
    ///
    /// - Throws: ``RouteFailure/hostInvalid`` if the host is missing or invalid: it must not be
    ///   echoed inside a URL.
    init(of request: Request) throws(RouteFailure) {
        guard let authority = request.head.authority, Self.isAuthority(authority[...]) else {
            throw .hostInvalid
        }
        text = (request.head.scheme == "https" ? "https://" : "http://") + authority
    }

    /// A name or an address, with an optional port.
    private static func isAuthority(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 261
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
                    true
                default: false
                }
            }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}?#".utf8.contains(byte)
    }
}
