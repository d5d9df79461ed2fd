import Readings

extension ByteWriter {
    /// Decimal digits without leading zeros.
    mutating func put(decimal value: Int64) {
        if value < 0 { put(byte: UInt8(ascii: "-")) }
        put(unsigned: value.magnitude)
    }

    mutating func put(unsigned value: UInt64) {
        if value < 10 { return put(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)) }
        // Digits are produced from right to left; 20 places hold any UInt64.
        var digits: (UInt64, UInt64, UInt32) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { room in
            var at = 20
            var rest = value
            while rest > 0 {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                at -= 1
                room[at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            }
            put(bytes: UnsafeRawBufferPointer(rebasing: room[at..<20]))
        }
    }

    @inline(__always)
    mutating func put(twoDigits value: Int) {
        put(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10))
        put(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }

    /// `units` with the decimal point `places` digits from the right, without trailing zeros.
    mutating func put(units: Int64, places: Int) {
        var magnitude = units.magnitude
        var places = places
        while places > 0, magnitude % 10 == 0 {
            magnitude /= 10
            places -= 1
        }
        if units < 0 { put(byte: UInt8(ascii: "-")) }
        var scale: UInt64 = 1
        for _ in 0..<places { scale *= 10 }
        put(unsigned: magnitude / scale)
        guard places > 0 else { return }
        put(byte: UInt8(ascii: "."))
        put(paddedFraction: magnitude % scale, places: places)
    }

    mutating func put(paddedFraction value: UInt64, places: Int) {
        var scale: UInt64 = 1
        for _ in 1..<places { scale *= 10 }
        while scale > 0 {
            put(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: (value / scale) % 10))
            scale /= 10
        }
    }

    /// `YYYY-MM-DD`; the text is cached for the next reading of the same day.
    @inline(__always)
    mutating func put(day: Int32) {
        if day != cachedDay { cache(day: day) }
        reserve(10)
        withUnsafeBytes(of: dayText.0) { put(bytes: $0) }
        withUnsafeBytes(of: dayText.1) { put(bytes: $0) }
    }

    private mutating func cache(day: Int32) {
        let (year, month, dayOfMonth) = civil(daysSince2000: Int(day))
        let text =
            Array("\(year)-".utf8)
            + [
                UInt8(ascii: "0") + UInt8(month / 10), UInt8(ascii: "0") + UInt8(month % 10),
                UInt8(ascii: "-"),
                UInt8(ascii: "0") + UInt8(dayOfMonth / 10),
                UInt8(ascii: "0") + UInt8(dayOfMonth % 10),
            ]
        precondition(text.count == 10, "BUG: year=\(year)")
        text.withUnsafeBytes {
            dayText = (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
            )
        }
        cachedDay = day
    }
}

/// The calendar date of a day counted from 2000-01-01.
///
/// - Source: the proleptic Gregorian calendar in eras of 146 097 days.
func civil(daysSince2000 day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 730_425  // days since 0000-03-01
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
}
