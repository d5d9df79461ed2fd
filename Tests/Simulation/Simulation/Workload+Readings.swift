import Ingest
import Readings
import SpoolLogSupport

/// Single readings, as JSON without the closing brace. Each field is sometimes at a bound and, in a
/// reading that must be quarantined, just outside of one.
extension Workload {
    /// Texts are short, so that a reading at a limit costs little.
    static let limits: ReadingLimits = {
        var limits = ReadingLimits()
        limits.labelBytesMax = 24
        limits.valueTextBytesMax = 40
        limits.metadataBytesMax = 60
        return limits
    }()

    /// - Parameter seconds: since 2026-02-01T00:00:00Z.
    static func reading(
        _ device: Int, _ index: Int, _ seconds: Int, _ scenario: Scenario, _ dice: inout Dice
    ) -> String {
        let time = time(seconds, scenario, &dice)
        if dice.happens(perThousand: scenario.invalidRate) {
            return "{\"t\":\(time),\(outside(index, &dice))"
        }
        if dice.happens(perThousand: scenario.poisonRate) {
            return vital(time, "\"code\":\(Reading.poisonCode)", "\(index)")
        }
        switch dice.below(3) {
        case 0: return position(time, device, index, &dice)
        case 1: return vital(time, index, scenario, &dice)
        default: return event(time, index, &dice)
        }
    }

    /// In one of the forms that are read. In runs of many days some are at the ends of what is
    /// accepted: a reading may be taken at first and be too old when it is sent again, or be in the
    /// future at first.
    private static func time(
        _ seconds: Int, _ scenario: Scenario, _ dice: inout Dice
    ) -> String {
        var time = 1_769_904_000 + Int64(seconds)
        if scenario.daysMax > 1, dice.below(20) == 0 {
            let (age, ahead) = (limits.ageMax.components, limits.aheadMax.components)
            time = start.unixSeconds + dice.pick(-age.seconds, ahead.seconds)
            time += Int64(dice.below(10))
        }
        switch dice.below(8) {
        case 0: return "\(time)"
        case 1: return "\(time)000"
        case 2: return "\"\(Timestamp(unixSeconds: time + 7200).secondsText.dropLast())+02:00\""
        default: return "\"\(Timestamp(unixSeconds: time).secondsText)\""
        }
    }

    // MARK: Positions

    private static func position(
        _ time: String, _ device: Int, _ index: Int, _ dice: inout Dice
    ) -> String {
        var place = (latitude: "\(device)", longitude: "\(index)")
        if dice.below(8) == 0 {
            place.latitude = dice.pick("-90", "90", "-0.0", "1e-310", "\"89.99999999999999\"")
            place.longitude = dice.pick("-180", "180", "0", "-179.99999999999997")
        }
        var text = "{\"type\":\"gps\",\"t\":\(time),\"lat\":\(place.latitude),"
        text += "\"lon\":\(place.longitude)"
        guard dice.below(2) == 0 else { return text }
        for (name, values) in details where dice.below(2) == 0 {
            text += ",\"\(name)\":\(values[dice.below(values.count)])"
        }
        return text
    }

    /// What a position may have besides its place. A negative number or null means unknown.
    private static let details = [
        ("acc", ["0", "12.5", "-1", "null", "1.7976931348623157e308"]),
        ("alt", ["-430.5", "8848.86", "null", "-1.7976931348623157e308"]),
        ("vacc", ["3", "-0.5", "null"]),
        ("speed", ["0", "8589", "1.2345678", "-1", "null"]),
        ("course", ["0", "359.9", "1000", "-1", "null"]),
    ]

    // MARK: Vital readings

    private static func vital(
        _ time: String, _ index: Int, _ scenario: Scenario, _ dice: inout Dice
    ) -> String {
        var metric = "\"code\":\(dice.below(3))"
        if scenario.namesMetrics, dice.below(3) > 0 {
            metric = "\"metric\":\"\(name(index, &dice))\""
        } else if dice.below(8) == 0 {
            metric = "\"code\":\(dice.pick("-32768", "32767", "\"7\""))"
        }
        let value =
            dice.below(4) == 0
            ? dice.pick("0", "-0", "1e-100", "-1e-100", "1e100", "-1e100", "\"36.6\"")
            : "\(index).5"
        return vital(time, metric, value)
    }

    private static func vital(_ time: String, _ metric: String, _ value: String) -> String {
        "{\"type\":\"vital\",\"t\":\(time),\(metric),\"val\":\(value)"
    }

    private static let names = ["lung_capacity", "mood", String(repeating: "m", count: 64)]

    /// Many are new, whatever state the database is in. Some get no code: their key may bring no
    /// more.
    private static func name(_ index: Int, _ dice: inout Dice) -> String {
        switch dice.below(4) {
        case 0: "new.\(index)"
        case 1 where index % 4 == 0: "more.\(index)"
        default: names[index % names.count]
        }
    }

    /// What the model's database answers.
    static func code(ofMetric name: String) -> Int16? {
        if let place = names.firstIndex(of: name) { return 1000 + Int16(place) }
        return name.hasPrefix("new.") ? Int16(name.dropFirst(4)).map { 2000 + $0 } : nil
    }

    // MARK: Events

    private static func event(_ time: String, _ index: Int, _ dice: inout Dice) -> String {
        let label =
            dice.below(8) == 0
            ? dice.pick(String(repeating: "é", count: 12), "\\u00e9\\n\\\"", "\\ud83d\\ude00")
            : "l\(index)"
        var text = "{\"type\":\"event\",\"t\":\(time),\"label\":\"\(label)\""
        if dice.below(4) == 0 {
            let value = dice.pick("\"\"", "\"\(String(repeating: "x", count: 40))\"", "null")
            text += ",\"val_text\":\(value)"
        }
        if dice.below(2) == 0 {
            let metadata =
                dice.below(2) == 0
                ? "{\"n\":\(index)}"
                : dice.pick(
                    "{}", "{\"b\":[1,{\"c\":null}],\"a\":1e2}", "{\"a\":1,\"a\":-0.50}",
                    "{\"a\":\"\(String(repeating: "y", count: 52))\"}")
            text += ",\"metadata\":\(metadata)"
        }
        return text
    }

    // MARK: Readings that are quarantined

    /// The fields of a reading that the scanner quarantines, most of them just outside of a bound.
    private static func outside(_ index: Int, _ dice: inout Dice) -> String {
        let position = "\"type\":\"gps\",\"lat\":1"
        let vital = "\"type\":\"vital\",\"code\":1"
        let event = "\"type\":\"event\""
        return dice.pick(
            "\"type\":\"gps\",\"lon\":\(index)", "\"type\":\"pressure\",\"val\":\(index)",
            "\"type\":\"gps\",\"lat\":90.00000000000002,\"lon\":\(index)",
            "\(position),\"lon\":-180.00000000000003", "\(position),\"lon\":1,\"alt\":1e309",
            "\(position),\"lon\":\(index),\"speed\":8589.01",
            "\(position),\"lon\":\(index),\"course\":1000.01",
            "\"type\":\"vital\",\"code\":32768,\"val\":\(index)",
            "\"type\":\"vital\",\"code\":-32769,\"val\":\(index)",
            "\"type\":\"vital\",\"metric\":\"\(String(repeating: "m", count: 65))\",\"val\":1",
            "\(vital),\"val\":1.0000000000000002e100", "\(vital),\"val\":-1.0000000000000002e100",
            "\(vital),\"val\":9.999999999999998e-101", "\(vital),\"val\":1e-400",
            "\(vital),\"val\":\(index),\"val\":\(index)",
            "\(event),\"label\":\"\(String(repeating: "é", count: 12))x\"",
            "\(event),\"label\":\"l\",\"val_text\":\"\(String(repeating: "x", count: 41))\"",
            "\(event),\"label\":\"l\",\"metadata\":{\"a\":\"\(String(repeating: "y", count: 53))\"}",
            "\(event),\"label\":\"l\\u0000\"", "\(event),\"label\":\"\"")
    }
}

extension Dice {
    /// One of the choices.
    mutating func pick<Value>(_ choices: Value...) -> Value { choices[below(choices.count)] }
}
