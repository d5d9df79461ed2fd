/// A device that belongs to the user.
struct UserDevice {
    let key: Int64
    /// Lower-case.
    let id: String

    /// A regular expression for a reading that was sent through another device and names this one.
    /// It matches the reading's bytes as `encode(…, 'escape')` prints them.
    var pattern: String {
        let special: Set<Character> = [
            ".", "^", "$", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "\\", "/",
        ]
        var escaped = ""
        for byte in id.utf8 {
            switch byte {
            case 0x80...:
                let octal = String(byte, radix: 8)
                escaped += "\\\\" + String(repeating: "0", count: 3 - octal.count) + octal
            case UInt8(ascii: "\\"): escaped += "\\\\\\\\\\\\\\\\"
            case UInt8(ascii: "\""): escaped += "\\\\\\\\\""
            default:
                let character = Character(UnicodeScalar(byte))
                escaped += special.contains(character) ? "\\\(character)" : "\(character)"
            }
        }
        return "\"device_id\"\\s*:\\s*\"\(escaped)\""
    }
}
