import Readings

/// Times as clients write them, all within the accepted age of ``BatchGenerator/now``.
struct TimeGenerator {
    var random: SeededGenerator
    private var last: (year: Int, month: Int, day: Int, second: Int)

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        last = (2026, 1, 15, 43_200)
        jump()
    }

    /// JSON text of a time, mostly a little later than the previous one.
    mutating func next() -> String {
        if random.once(in: 12) { jump() }
        last.second = min(86_399, last.second + random.within(0...5))
        return form(second: last.second)
    }

    private mutating func jump() {
        last.year = random.within(2024...2026)
        last.month = last.year == 2026 ? 1 : random.within((last.year == 2024 ? 3 : 1)...12)
        last.day = random.within(1...TimestampText.days(inMonth: last.month, of: last.year))
        last.second = random.below(86_400)
    }

    private mutating func form(second: Int) -> String {
        let clock = [pad(second / 3600), pad(second / 60 % 60), pad(second % 60)]
        let date = [String(last.year), pad(last.month), pad(last.day)]
        if !random.once(in: 3) {
            return "\"\(date.joined(separator: "-"))T\(clock.joined(separator: ":"))Z\""
        }
        if random.once(in: 6) { return number(second) }
        let separator = random.pick(["T", "T", "T", "t", " "])
        let isBasic = random.once(in: 5)
        let hasSeconds = !random.once(in: 5)
        let parts = random.once(in: 20) ? ["24", "00", "00"] : clock
        var text = date.joined(separator: isBasic ? "" : "-") + separator
        text += parts[..<(hasSeconds ? 3 : 2)].joined(separator: isBasic ? "" : ":")
        if hasSeconds, parts[0] != "24", random.once(in: 2) {
            let digits = random.pick([1, 2, 3, 3, 3, 6, 6, 7, 9, 12])
            text += random.pick([".", ".", ","])
            text += (0..<digits).map { _ in String(random.below(10)) }.joined()
        }
        let hours = pad(random.below(24))
        let minutes = pad(random.pick([0, 0, 15, 30, 45, 59]))
        let zone = random.pick([
            "Z", "Z", "z", "", "+00:00", "-00:00", "+0000", "+00", "-\(hours)",
            "+\(hours):\(minutes)", "-\(hours):\(minutes)", "+\(hours)\(minutes)",
            "-\(hours)\(minutes)",
        ])
        return "\"\(text)\(zone)\""
    }

    /// Seconds or milliseconds since 1970, as a number or as a string.
    private mutating func number(_ second: Int) -> String {
        let day = "\(last.year)-\(pad(last.month))-\(pad(last.day))T00:00:00Z"
        let start = TimestampText.timestamp(of: Array(day.utf8))
        let seconds = Int(start?.unixSeconds ?? 0) + second
        let number = random.pick([
            "\(seconds)", "\(seconds).5", "\(seconds).\(random.below(1_000_000))",
            "\(seconds * 1000 + random.below(1000))", "\(seconds)000.25",
            "\(seconds).\(random.below(1_000_000_000))999",
            "\(seconds)123.\(random.below(1_000_000))",
        ])
        return random.once(in: 4) ? "\"\(number)\"" : number
    }

    private func pad(_ number: Int) -> String {
        number < 10 ? "0\(number)" : String(number)
    }

    /// Texts that are not timestamps.
    static let invalid = [
        "", "2026-02-10", "2026-02-10T14:57:07.Z", "2026-02-10T14:57:07.",
        "2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z", "2026-04-31T00:00:00Z",
        "2025-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-00-10T00:00:00Z",
        "2026-13-10T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
        "0000-01-01T00:00:00Z", "2026-01-10T23:60:00Z",
        "2026-01-10T23:59:59+24:00", "2026-01-10T23:59:59+12:60",
        "2026-01-10T23:59:59+1", "2026-01-10T23:59:59+12:",
        "2026-01-10T23:59:59+12:3", "2026-01-10T23:59:59+123", "2026-01-10T23:59:59+12:300",
        "2026-01-10T23:59:59+12:30Z", "2026-01-10T23:59:59ZZ", " 2026-01-10T23:59:59Z",
        "2026-01-10T23:59:59Z ", "2026-01-10 T23:59:59Z", "2026-1-10T23:59:59Z",
        "26-01-10T23:59:59Z", "02026-01-10T23:59:59Z", "+2026-01-10T23:59:59Z",
        "-2026-01-10T23:59:59Z", "2026/01/10T23:59:59Z", "2026-01-10T23.59.59Z",
        "2026-01-10X23:59:59Z", "2026-01-10T2:59:59Z",
        "2026-01-10T23:59:59.1.2Z", "2026-01-10T23:59:59.12a",
        "2026-01-10T23:59:59.-1Z", "2026-01-10T23:59:5 Z", "2026-01-10T23:59:59\\u0000",
        "2026-01-10T23:59:59\\ud800Z", "２０26-01-10T23:59:59Z", "2026-01-10T23:59:59 Z",
        "2026-01-10T23:59:59.123 +01:00", "2026-01-10T23:59:59UTC", "now", "2026-W02-6T23:59:59Z",
        "2026-01-1/T23:59:59Z", "2026-01-1:T23:59:59Z", "202a-01-10T23:59:59Z",
        "20260110", "2026-01-10T23", "2026-01-10T24:00:01Z", "2026-01-10T24:00:00.000001Z",
        "2026-01-10T24:01Z", "2026-01-10T25:00Z", "2026-01-10T23:59:61Z", "2026-01-10T2359",
        "20260110T23:59:59Z", "2026-01-10T235959Z", "20260110T23595Z", "2026-01-10T23:59.5Z",
        "20260229T000000Z", "2026-01-10T23:59:59,Z", "20269999", "1e15", "-6.3e10",
        "1768089599000000", "nan",
        "2026-01-10T23:59:59+-1:00", "2026-01-10T23:59:59.123456789012345678901234567890x",
    ]
}
