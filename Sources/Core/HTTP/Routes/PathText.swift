import Encodings

/// Validates segments of a path.
public enum PathText {
    /// The id of a user, percent-decoded.
    ///
    /// - Throws: ``RequestFailure/userInvalid``.
    public static func user(_ text: some StringProtocol) throws(RequestFailure) -> String {
        guard let user = PercentEncoding.decodedText(text), isUser(user) else {
            throw .userInvalid
        }
        return user
    }

    /// 1 to 128 characters, none of them for control.
    private static func isUser(_ text: String) -> Bool {
        (1...128).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
