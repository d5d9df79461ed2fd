import Crypto
import Foundation

/// A token that says who somebody is, signed with the server's secret.
///
/// - Source: RFC 7519; HS256 of RFC 7518, section 3.2.
enum UserToken {
    /// Good for an hour.
    static func token(user: String, secret: String) -> String {
        token(user: user, secret: secret, end: Int(Date().timeIntervalSince1970) + 3600)
    }

    /// - Parameter end: in seconds since 1970.
    static func token(user: String, secret: String, end: Int) -> String {
        let signed =
            part(#"{"alg":"HS256","typ":"JWT"}"#) + "." + part(#"{"sub":"\#(user)","exp":\#(end)}"#)
        let signature = HMAC<SHA256>.authenticationCode(
            for: Data(signed.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return signed + "." + encoded(Data(signature))
    }

    private static func part(_ text: String) -> String { encoded(Data(text.utf8)) }

    /// base64url without padding.
    private static func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
