import Auth
import HTTPTypes
import Hummingbird
import NIOCore
import Postgres
import Status

/// The cookie with a session's token: for `/status` only, hidden from scripts, and not sent with
/// requests from pages of other sites (RFC 6265bis).
enum StatusCookie {
    static let name = "sluice-status"
    private static let attributes = "Path=/status; HttpOnly; SameSite=Strict"

    /// - Parameter isSecure: the cookie is only sent over encrypted connections.
    static func text(_ token: String, isSecure: Bool) -> String {
        let seconds = StatusSessions.lifetime.components.seconds
        return "\(name)=\(token); \(attributes); Max-Age=\(seconds)" + (isSecure ? "; Secure" : "")
    }

    /// Deletes the cookie.
    static let expired = "\(name)=; \(attributes); Max-Age=0"

    /// The token in a `Cookie` field.
    static func token(in field: String?) -> String? {
        guard let field else { return nil }
        for pair in field.split(separator: ";") {
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix(name + "=") else { continue }
            let token = pair.dropFirst(name.utf8.count + 1)
            return token.isEmpty ? nil : String(token)
        }
        return nil
    }
}
