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
        let time = Timestamp(microseconds: Int64(day) * Timestamp.microsecondsPerDay)
        let text = Array(time.dayText.utf8)
        text.withUnsafeBytes {
            dayText = (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
            )
        }
        cachedDay = day
    }
}
