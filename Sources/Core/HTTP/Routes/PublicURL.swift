import HTTPTypes
public import Hummingbird
public import NIOCore

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

    /// The scheme and host with which the client called.
    ///
    /// From a trusted proxy they are those of `X-Forwarded-Proto` and `X-Forwarded-Host`, where it
    /// sends these; of several values the last, which is its own. A forwarded host that is none is
    /// ignored.
    ///
    /// - Parameters:
    ///   - channel: the request's.
    ///   - proxies: those whose fields count; other clients' are ignored.
    /// - Throws: ``RequestFailure/hostInvalid`` if the host is missing or invalid: it must not be
    ///   echoed inside a URL.
    public init(
        of request: Request, from channel: any Channel, trusting proxies: TrustedProxies
    ) throws(RequestFailure) {
        var scheme = request.head.scheme
        var authority = request.head.authority
        if proxies.contains(channel) {
            scheme = Self.last(request.headers[.forwardedProto])?.lowercased() ?? scheme
            if let host = Self.last(request.headers[.forwardedHost]), Self.isAuthority(host[...]) {
                authority = host
            }
        }
        guard let authority, Self.isAuthority(authority[...]) else { throw .hostInvalid }
        // A proxy may name a socket's scheme.
        let isSecure = scheme == "https" || scheme == "wss"
        text = (isSecure ? "https://" : "http://") + authority
    }

    private static func last(_ field: String?) -> String? {
        guard var value = field?.split(separator: ",").last else { return nil }
        while let first = value.first, first == " " || first == "\t" { value.removeFirst() }
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        return value.isEmpty ? nil : String(value)
    }

    /// A name, whose labels are not empty, or an address, which is in brackets if it has colons;
    /// with an optional port.
    private static func isAuthority(_ text: Substring) -> Bool {
        let isBracketed = text.first == "["
        guard
            let hostEnd = text.firstIndex(of: isBracketed ? "]" : ":")
                ?? (isBracketed ? nil : text.endIndex)
        else { return false }
        let host = text[..<hostEnd].dropFirst(isBracketed ? 1 : 0)
        let port = text[hostEnd...].dropFirst(isBracketed ? 1 : 0)
        guard text.utf8.count <= 261, isBracketed ? isIPv6(host) : isName(host) else {
            return false
        }
        return port.isEmpty
            || port.first == ":" && port.utf8.allSatisfy { $0 != UInt8(ascii: "+") }
                && UInt16(port.dropFirst()) ?? 0 > 0
    }

    private static func isIPv6(_ text: Substring) -> Bool {
        guard case .v6? = try? SocketAddress(ipAddress: String(text), port: 0) else { return false }
        return !text.contains("%")
    }

    /// A dot may end it, as it ends names from the root of DNS.
    private static func isName(_ text: Substring) -> Bool {
        let name = text.last == "." ? text.dropLast() : text
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.utf8.allSatisfy(isOfName)
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}?#".utf8.contains(byte)
    }
}
