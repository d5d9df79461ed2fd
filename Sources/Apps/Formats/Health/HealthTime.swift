/// Times as Health Auto Export writes them: `yyyy-MM-dd HH:mm:ss Z`.
enum HealthTime {
    private static let bytesMax = 64

    /// The same time in a form that readings may have: without the space in front of the offset, with
    /// 24 hours where a phone's settings made it 12, and with midnight UTC where there is only a date.
    /// What is no such time stays as it is.
    static func normalized(_ text: String) -> String {
        guard text.utf8.count <= bytesMax else { return text }
        let parts = text.split { $0 == " " || $0 == "\u{A0}" || $0 == "\u{202F}" }
        guard let date = parts.first else { return text }
        if isDate(text) { return "\(date)T00:00:00Z" }
        guard parts.count >= 2, isDate(String(date)) else { return text }
        var clock = String(parts[1])
        var offset = ""
        for part in parts.dropFirst(2) {
            switch part.uppercased() {
            case "AM": clock = hours(of: clock, isAfternoon: false) ?? text
            case "PM": clock = hours(of: clock, isAfternoon: true) ?? text
            default: offset += part
            }
        }
        return "\(date)T\(clock)\(offset)"
    }

    /// Whether a text is a date without a time.
    static func isDate(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    private static func hours(of clock: String, isAfternoon: Bool) -> String? {
        let parts = clock.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let hour = Int(parts[0]), (1...12).contains(hour) else {
            return nil
        }
        let full = hour % 12 + (isAfternoon ? 12 : 0)
        return (full < 10 ? "0" : "") + "\(full):\(parts[1])"
    }
}
