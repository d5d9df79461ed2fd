import Crypto
import Encodings
import Foundation

/// A token that names a user, signed with the server's secret.
///
/// - Source: RFC 7519; HS256 of RFC 7518, section 3.2.
enum UserToken {
    /// A token that is valid for an hour.
    static func token(user: String, secret: String) -> String {
        token(user: user, secret: secret, end: Int(Date().timeIntervalSince1970) + 3600)
    }

    /// - Parameter end: when the token expires, in seconds since 1970.
    static func token(user: String, secret: String, end: Int) -> String {
        let signed =
            Base64URL.encode(#"{"alg":"HS256","typ":"JWT"}"#.utf8) + "."
            + Base64URL.encode(#"{"sub":"\#(user)","exp":\#(end)}"#.utf8)
        let signature = Array(
            HMAC<SHA256>.authenticationCode(
                for: Array(signed.utf8), using: SymmetricKey(data: Array(secret.utf8))))
        return signed + "." + Base64URL.encode(signature)
    }
}
