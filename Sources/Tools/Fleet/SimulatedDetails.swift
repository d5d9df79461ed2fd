/// What a position has besides its place and accuracy: a choice for each field from a table of
/// values, most of them at a bound. The first choice is to leave the field out.
struct SimulatedDetails {
    /// A value as it is written, and as it is stored; nil: NULL.
    struct Choice: Sendable {
        let json: StaticString
        let value: Double?

        /// The reading does not have the field.
        var isAbsent: Bool { json.utf8CodeUnitCount == 0 }
    }

    /// In metres. A negative one is an altitude like any other.
    static let altitudes = [
        Choice(json: "", value: nil), Choice(json: "null", value: nil),
        Choice(json: "8848.86", value: 8848.86), Choice(json: "-430.5", value: -430.5),
        Choice(json: "\"0\"", value: 0),
        Choice(
            json: "-1.7976931348623157e308", value: -Double.greatestFiniteMagnitude),
    ]
    /// In metres; as in the next two a negative one means unknown.
    static let verticalAccuracies = [
        Choice(json: "", value: nil), Choice(json: "null", value: nil),
        Choice(json: "-0.5", value: nil), Choice(json: "3", value: 3),
        Choice(json: "1.7976931348623157e308", value: Double.greatestFiniteMagnitude),
    ]
    /// In metres a second; stored in millionths.
    static let speeds = [
        Choice(json: "", value: nil), Choice(json: "null", value: nil),
        Choice(json: "-1", value: nil), Choice(json: "0", value: 0),
        Choice(json: "1.2345678", value: 1.234568), Choice(json: "8589", value: 8589),
    ]
    /// In degrees; stored in millionths.
    static let courses = [
        Choice(json: "", value: nil), Choice(json: "null", value: nil),
        Choice(json: "-1", value: nil), Choice(json: "0.0000004", value: 0),
        Choice(json: "359.9", value: 359.9), Choice(json: "1000", value: 1000),
    ]

    let altitude: Choice
    let verticalAccuracy: Choice
    let speed: Choice
    let course: Choice

    init(bits: UInt64) {
        var purse = BitPurse(bits)
        func choice(_ table: [Choice]) -> Choice { table[purse.take(below: UInt64(table.count))] }
        altitude = choice(Self.altitudes)
        verticalAccuracy = choice(Self.verticalAccuracies)
        speed = choice(Self.speeds)
        course = choice(Self.courses)
    }

    /// Speed and course in one number: 33 bits and 30 bits of millionths, all set where unknown.
    /// nil: both are unknown.
    var motion: Int64? {
        guard speed.value != nil || course.value != nil else { return nil }
        func part(_ choice: Choice, bits: Int64) -> Int64 {
            choice.value.map { Int64(($0 * 1e6).rounded()) } ?? 1 << bits - 1
        }
        return part(speed, bits: 33) << 30 | part(course, bits: 30)
    }
}
