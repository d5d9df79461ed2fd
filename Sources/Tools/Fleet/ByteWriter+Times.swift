import Readings

extension ByteWriter {
    @inline(__always)
    mutating func put(number: SimulatedNumber) {
        switch number {
        case .fixed(let units, let places): put(units: units, places: places)
        case .exact(let value): put(exact: value)
        }
    }

    /// The shortest JSON number that parses to `value`.
    @inline(never)
    private mutating func put(exact value: Double) {
        precondition(value.isFinite, "BUG: value=\(value)")
        put(text: value.description)
    }

    @inline(__always)
    mutating func put(time: Timestamp, form: TimeForm) {
        let shown = Timestamp(
            microseconds: time.microseconds + form.offsetMinutes * 60_000_000)
        let day = shown.day
        let inDay = shown.microseconds - Int64(day) * Timestamp.microsecondsPerDay
        let (second, microsecond) = inDay.quotientAndRemainder(dividingBy: 1_000_000)
        let (minute, secondOfMinute) = Int(second).quotientAndRemainder(dividingBy: 60)
        put(day: day)
        put(
            byte: form == .spaced ? UInt8(ascii: " ") : UInt8(ascii: form == .lowercase ? "t" : "T")
        )
        put(twoDigits: minute / 60)
        put(byte: UInt8(ascii: ":"))
        put(twoDigits: minute % 60)
        put(byte: UInt8(ascii: ":"))
        put(twoDigits: secondOfMinute)
        switch form {
        case .seconds: put(byte: UInt8(ascii: "Z"))
        case .lowercase: put(byte: UInt8(ascii: "z"))
        case .naive: break
        case .westwardCompact: put("-0530")
        case .milliseconds, .eastward:
            put(byte: UInt8(ascii: "."))
            put(paddedFraction: UInt64(microsecond / 1000), places: 3)
            form == .eastward ? put("+02:00") : put("Z")
        case .microseconds, .nanoseconds, .spaced:
            put(byte: UInt8(ascii: "."))
            put(paddedFraction: UInt64(microsecond), places: 6)
            form == .nanoseconds ? put("789Z") : put("Z")
        }
    }
}
