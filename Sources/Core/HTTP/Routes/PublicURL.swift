public import Hummingbird

/// The base of the URLs that this server gives out.
public struct PublicURL: Sendable, Equatable {
    /// Without a slash at the end.
    public let text: String

    /// The base that an operator configured.
    ///
    /// - Returns: nil if the text is not the base of an HTTP URL.
    public init?(configured text: String) {
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
    /// - Throws: ``RequestFailure/hostInvalid`` if the host is missing or invalid: it must not be
    ///   echoed inside a URL.
    public init(of request: Request) throws(RequestFailure) {
        guard let authority = request.head.authority, Self.isAuthority(authority[...]) else {
            throw .hostInvalid
        }
        text = (request.head.scheme == "https" ? "https://" : "http://") + authority
    }

    /// A name or an address, which is in brackets if it has colons, with an optional port.
    private static func isAuthority(_ text: Substring) -> Bool {
        let isBracketed = text.first == "["
        guard
            let hostEnd = text.firstIndex(of: isBracketed ? "]" : ":")
                ?? (isBracketed ? nil : text.endIndex)
        else { return false }
        let host = text[..<hostEnd].dropFirst(isBracketed ? 1 : 0)
        let port = text[hostEnd...].dropFirst(isBracketed ? 1 : 0)
        guard !host.isEmpty, text.utf8.count <= 261,
            host.utf8.allSatisfy({ isOfHost($0, isBracketed) })
        else { return false }
        return port.isEmpty
            || port.first == ":" && port.utf8.allSatisfy { $0 != UInt8(ascii: "+") }
                && UInt16(port.dropFirst()) ?? 0 > 0
    }

    private static func isOfHost(_ byte: UInt8, _ isBracketed: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): !isBracketed
        case UInt8(ascii: ":"): isBracketed
        default: false
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}?#".utf8.contains(byte)
    }
}
