/// The naming rules: Prometheus's own, without colons (reserved for recording rules), and ours.
enum MetricName {
    static func check(_ name: String, _ kind: MetricKind) {
        precondition(isLabel(name), "BUG: metric name \(name)")
        precondition(
            (kind == .counter) == name.hasSuffix("_total"),
            "BUG: \(name): counters, and only they, end in _total")
    }

    static func isLabel(_ name: String) -> Bool {
        guard let first = name.utf8.first, !isDigit(first) else { return false }
        return name.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        let lower = byte | 0x20
        return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    }
}
