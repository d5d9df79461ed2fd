import Encodings

/// User and password of Basic authentication (RFC 7617).
public struct BasicCredentials: Equatable, Sendable {
    /// What stands before the first colon.
    public let user: String
    /// What follows it.
    public let password: String

    /// - Parameter field: the value of `Authorization`; nil if it is of another scheme, or is not
    ///   base64 of UTF-8 with a colon.
    public init?(authorization field: String) {
        guard field.utf8.count > 6, field.prefix(6).lowercased() == "basic " else { return nil }
        let base64 = field.dropFirst(6).replacing("+", with: "-").replacing("/", with: "_")
        guard let bytes = Base64URL.decode(base64.filter { $0 != " " && $0 != "=" }.utf8),
            let pair = String(validating: bytes, as: UTF8.self),
            let colon = pair.firstIndex(of: ":")
        else { return nil }
        user = String(pair[..<colon])
        password = String(pair[pair.index(after: colon)...])
    }
}

extension BasicCredentials: CustomStringConvertible, CustomReflectable {
    /// Hides both.
    public var description: String { "BasicCredentials(hidden)" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
