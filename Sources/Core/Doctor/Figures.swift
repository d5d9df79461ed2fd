/// Formats figures for people.
enum Figures {
    /// `3.5 GiB`
    static func bytes(_ bytes: Int) -> String {
        var (value, unit) = (Double(bytes), 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        return unit == 0 ? "\(bytes) B" : "\(rounded(value)) \(units[unit])"
    }

    /// `250 ms`, `3.2 s`, `5 min`, `2 h`, `3 days`
    static func seconds(_ seconds: Double) -> String {
        if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
        if seconds < 120 { return "\(rounded(seconds)) s" }
        if seconds < 7200 { return "\(Int(seconds / 60)) min" }
        if seconds < 2 * 86_400 { return "\(Int(seconds / 3600)) h" }
        return "\(Int(seconds / 86_400)) days"
    }

    /// `1 234 567`
    static func count(_ count: Int) -> String {
        let digits = Array(String(count))
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { text += "\u{2009}" }
            text.append(digit)
        }
        return text.replacing("\u{2009}", with: " ")
    }

    /// One decimal below ten, none from ten on.
    private static func rounded(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return tenths < 10 && tenths != tenths.rounded() ? "\(tenths)" : "\(Int(value.rounded()))"
    }
}
