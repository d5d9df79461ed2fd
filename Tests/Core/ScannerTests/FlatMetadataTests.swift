import Readings
import Scanner
import Testing

@testable import ScannerSupport

/// Event metadata without nesting, which the scanner handles on a separate path, at that path's
/// limits.
@Suite struct `Flat metadata` {
    private static let keys = [
        "a", "b", "aa", "ab", "ba", "é", "z", "steps", "state", "A", "", "ü", "battery_level",
    ]
    private static let values = [
        "1", "0", "-0", "-0.0", "-0.00e0", "0.10", "-1.50", "1e3", "12E-2", "true", "false",
        "null", #""""#, #""x""#, #""naïve – Ω 😀""#, #""a\nb""#, #""\u0000""#, #""\ud800""#,
        "{}", "[]", "[1,2]", "01", "1.", "tru", "+1", "-", "\"\u{1}\"", "\"\u{7f}\"",
        String(repeating: "7", count: 64), String(repeating: "7", count: 65),
        "-0." + String(repeating: "0", count: 61), "-0." + String(repeating: "0", count: 62) + "1",
    ]

    @Test(arguments: [ReadingLimits(), .tight])
    func `is what the reference makes of it`(_ limits: ReadingLimits) {
        var random = SeededGenerator(seed: 21)
        var comparison = Comparison(limits: limits)
        for number in 0..<6000 {
            let members = (0..<random.within(0...18)).map { _ in
                let usual = random.pick(["1", "\"x\"", "null"])
                let value = random.once(in: 40) ? random.pick(Self.values) : usual
                let key = random.once(in: 3) ? random.pick(Self.keys) : "k\(random.below(100))"
                return "\"\(key)\":\(value)"
            }
            let space = random.pick(["", " ", "\n\t"])
            let object = "{\(members.joined(separator: ",\(space)"))}"
            let fields = [#""label":"a""#, "\"metadata\":\(space)\(object)"]
            let ordered = random.once(in: 2) ? fields : fields.reversed()
            let body = batch([
                #"{"type":"event","t":"2026-02-10T10:00:00Z",\#(ordered.joined(separator: ","))}"#
            ])
            let difference =
                comparison.difference(on: body, .whole)
                ?? comparison.difference(on: body, .random(seed: random.next()))
            if let difference {
                Issue.record("\(number): \(difference)")
                return
            }
        }
    }

    @Test func `in a reading of another kind is only looked at as JSON`() {
        agreed(
            on: batch([
                #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1,"metadata":{"a":1}}"#,
                #"{"metadata":{},"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":1}"#,
                #"{"metadata":{},"type":"vital","t":"2026-02-10T10:00:00Z","metadata":{}}"#,
            ]))
    }
}
