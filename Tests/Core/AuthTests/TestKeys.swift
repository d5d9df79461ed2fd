import Encodings
import Foundation
import TestSupport
import Testing

@testable import Auth

/// Key pairs of the tests, and their public halves as a provider publishes them.
enum TestKeys {
    /// Signs nothing but tokens of these tests.
    static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC/cEkEKrc4zx/T
        1CTeQIqSGTtvo7uoskhe+AKT8dGd0JwFXoC/dU9smq6izmn2t0YYu0wO/k6oO4Rc
        jKHmq3BBrleuKms7WQ8p01TEeTLPpQ3hwsIu9M4K3HsJLfZ4gcBnf/IpTBbgR0Y/
        6ERHuGYUj/fOl9PSSi0/M75Rd9blxyWQwkknT/fCrRQDvPs9OVZGKH0bQy50pcM/
        CgKiTbaEny1mbMoYH3pug9gDcY7y/7CKP9Bhh9PUsD+cuBXCQQXU8IgsbGabcos5
        uyljLJSENUAjmKZoWvxJVvCFcGNeWbOJ76qAjDraLjSrlmYn/8myzdno5zshvK7f
        h/PfiLErAgMBAAECggEAI3ReuXxVwZoumVMlXtoSL9unc9Ydl7EpERmalJ7JBRLR
        CneFna/SvVjqdfGHk28+9q6dd/tmQub+7QsIowlmOWvaBkIJ6Qxl8AeZH+gYXneB
        mimxP/QLwtwxlzIhfxD8us5p4Xcbl37rxkM0fhnrIezF5secrcoaFiX1ne31aUmF
        /UIRiaMorD8uOEwuYMIwubCSu+awKuxg+HHJUhciWhHnWX3d6HQGU0d/mQzUwpz/
        Rb8gID0Wsn9JKDyp6TVDTcPFWXC9Rb6e6KQEOopN7eDej9jkL5jZM6GgZlSUm7O2
        gnAfMWFHUZ++N1q9sxKU4FJARtb9xu7vU0wyUn01pQKBgQDs/bAZnZC985GjWgVy
        ifOyH6k2gCaW6oJuIjmqM2WrdMb4onFBybxB9apdXIDL3Pg5BE7YHc+Yy8H3FlOa
        a/ChJKP1dvmZRF8Oh6C6HyOh0SNTs3ajT6it4B4cWgAHe5XvJQqS7eFHTN041qOC
        q+U6e3ogM0EGPH/0dlC1sh0I9QKBgQDOyzylw1VnBV5apMtLDPZ+vzHJYqE/GZTW
        519qRNGn16laSjHbKyfHRvtlp4LuZiE+SS2p6XFdLjM6imy/IOKcaYj3dYylPBS/
        1eMHk/YKPpXE0BG6h+bMEKQBYWxlHjRsfc/Zmwf+N0WIyQsfLZg8M487xPTFRPpz
        5Yz3p079nwKBgQCxV725zXEM1AG97ZV5+sWEG7EyeX9nG6Hy7GWeecuxHDfwww5h
        nqbj7QRJzPkMlRSjBhhCHTzGKGPDlM+HFRMCYzrWauuox8MiSlf6L2copin7bqZu
        2yNsyfN+X9L5xn+Sb3OUM7KK+nfpGqVNGXj15ISlJ/WWxxsxQoBvFxQnKQKBgEIq
        QwBirGunCxaDjcw4nJHXSO2/kgonfDj6lMvisxY56aTLAoK2nyairoNLApiWsuJD
        9clcuPnwc1GywrKwqfETz1AmG1cvDxCGNfrRu7JxbegoDtQY8Z6vYFpUuqLr9CgW
        ZS+h6//J3YSzlsxmAUSZ1qVwEkUgGeaFNwJyVNLPAoGAQ/fNbSxoJtkoX5uv8juv
        8zaskhinz0gG8QPZQEacDLgeZ/APfVNPRHRZiau20Am3LvDG6QY75rXeWxESGSeP
        kTKQvRtxvyOR5GKNoPYjwuf1TnxWDe6BiduFrf5p0WY3KXO5O18u99PgHAqD8LZp
        DQjD1OOpnB1z/wh9O+ft76U=
        -----END PRIVATE KEY-----
        """

    /// An entry of a JWKS document.
    static func entry(_ key: SigningKey, name: String?, more: String = "") -> String {
        let (x, y) = (Base64URL.encode(key.point.x), Base64URL.encode(key.point.y))
        return entry(#""kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)""#, name, more)
    }

    static let rsaKey = SigningKey(pem: rsa)

    static func rsaEntry(name: String?, more: String = "") -> String {
        let modulus = Base64URL.encode(rsaKey.numbers.modulus)
        let exponent = Base64URL.encode(rsaKey.numbers.exponent)
        return entry(#""kty":"RSA","n":"\#(modulus)","e":"\#(exponent)""#, name, more)
    }

    private static func entry(_ members: String, _ name: String?, _ more: String) -> String {
        "{" + members + (name.map { #","kid":"\#($0)""# } ?? "") + more + "}"
    }

    static func document(_ entries: String...) -> String {
        #"{"keys":[\#(entries.joined(separator: ","))]}"#
    }

    static func keys(_ document: String) throws -> [TokenKey] {
        try #require(KeySet(json: Array(document.utf8))).keys
    }
}
