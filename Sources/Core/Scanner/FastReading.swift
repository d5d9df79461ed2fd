import Readings

/// The fast path: a reading as clients really send it, read and checked in one pass.
///
/// One switch on four bytes of the key, one compare for its rest with quote and colon, and the
/// value parser inside the case; keys may be in any order. Texts with escapes or beyond ASCII and
/// flat metadata take a slower path. Everything else is left to ``PlainReading``: nulls other than
/// those of `acc` and of a position's details, numbers in strings, unknown or repeated keys, those
/// of another kind, values out of range, and subnormal coordinates.
///
/// Compiled twice: as batches of `/ingest` have it, and wide, for readings that the first one does
/// not know: with white space, times that are numbers, and names of device, user and metric.
struct FastReading {
    enum Kind: UInt8 { case gps, vital, event, none }

    private struct Seen {
        static let t: UInt32 = 1
        static let type: UInt32 = 2
        static let latitude: UInt32 = 4
        static let longitude: UInt32 = 8
        static let accuracy: UInt32 = 16
        static let code: UInt32 = 32
        static let value: UInt32 = 64
        static let label: UInt32 = 128
        static let valueText: UInt32 = 256
        static let metadata: UInt32 = 512
        static let altitude: UInt32 = 1024
        static let verticalAccuracy: UInt32 = 2048
        static let speed: UInt32 = 4096
        static let course: UInt32 = 8192
        static let deviceID: UInt32 = 16384
        static let userID: UInt32 = 32768
        static let metric: UInt32 = 65536

        static let details = altitude | verticalAccuracy | speed | course
        static let sender = deviceID | userID
        static let gps = t | type | latitude | longitude
        static let vital = t | type | code | value
        static let namedVital = t | type | metric | value
        static let event = t | type | label
    }

    var kind = Kind.none
    var time: Int64 = 0
    var latitude = 0.0
    var longitude = 0.0
    /// Negative when unknown.
    var accuracy = -1.0
    var code = 0
    var value = 0.0
    var label = 0..<0
    var valueText = 0..<0
    var hasValueText = false
    /// The metadata is in the ``FlatObject`` that was passed.
    var hasMetadata = false
    /// Whether `label` or `valueText` has escapes.
    var hasEscapes = false
    /// Some of a position's details are in the ``PositionDetails`` that was passed.
    var hasDetails = false
    /// What a wide reading names, in ASCII without escapes; empty: it does not.
    var deviceID = 0..<0
    var userID = 0..<0
    /// Not checked.
    var metric = 0..<0

    /// - Parameters:
    ///   - start: index of `{`.
    ///   - wide: see ``FastReading``; a constant at every call.
    /// - Returns: the index after `}`, or −1 for anything unusual or incomplete.
    @inline(always)
    mutating func read(
        _ window: Window, at start: Int, wide: Bool, limits: FastLimits,
        times: inout TimestampParser, metadata: inout FlatObject, details: inout PositionDetails
    ) -> Int {
        let spaced = wide
        var seen = 0 as UInt32
        var index = window.skip(start &+ 1, spaced)
        while window[index] == 0x22 {
            let bit: UInt32
            switch window.load32(index &+ 1) {
            case 0x223A_2274 where !spaced:  // t":"
                index &+= 5
                guard let time = times.read(window, at: &index) else { return -1 }
                self.time = time
                bit = Seen.t
            case 0x6570_7974 where window[index &+ 5] == 0x22:  // type"
                guard window.colonAndQuote(&index, 6, spaced) else { return -1 }
                switch window.load32(index) {
                case 0x2273_7067:  // gps"
                    kind = .gps
                    index &+= 4
                case 0x6174_6976 where window.load16(index &+ 4) == 0x226C:  // vital"
                    kind = .vital
                    index &+= 6
                case 0x6E65_7665 where window.load16(index &+ 4) == 0x2274:  // event"
                    kind = .event
                    index &+= 6
                default:
                    return -1
                }
                bit = Seen.type
            case 0x2274_616C:  // lat"
                guard window.colon(&index, 5, spaced),
                    window.number(at: &index, &latitude)
                else { return -1 }
                bit = Seen.latitude
            case 0x226E_6F6C:  // lon"
                guard window.colon(&index, 5, spaced),
                    window.number(at: &index, &longitude)
                else { return -1 }
                bit = Seen.longitude
            case 0x2263_6361:  // acc"
                guard window.colon(&index, 5, spaced),
                    window.number(at: &index, &accuracy) || window.null(at: &index)
                else { return -1 }
                bit = Seen.accuracy
            case 0x2274_6C61:  // alt"
                guard window.colon(&index, 5, spaced),
                    let number = window.optionalNumber(at: index)
                else { return -1 }
                details.altitude = number.value
                index = number.end
                bit = Seen.altitude
            case 0x6363_6176 where window[index &+ 5] == 0x22:  // vacc"
                guard window.colon(&index, 6, spaced),
                    let number = window.optionalNumber(at: index)
                else { return -1 }
                details.verticalAccuracy = number.value
                index = number.end
                bit = Seen.verticalAccuracy
            case 0x6565_7073 where window.load16(index &+ 5) == 0x2264:  // spee d"
                guard window.colon(&index, 7, spaced),
                    let number = window.optionalNumber(at: index)
                else { return -1 }
                details.speed = number.value
                index = number.end
                bit = Seen.speed
            case 0x7275_6F63
            where window.load16(index &+ 5) == 0x6573 && window[index &+ 7] == 0x22:
                // cour se"
                guard window.colon(&index, 8, spaced),
                    let number = window.optionalNumber(at: index)
                else { return -1 }
                details.course = number.value
                index = number.end
                bit = Seen.course
            case 0x226C_6176:  // val"
                guard window.colon(&index, 5, spaced),
                    window.number(at: &index, &value)
                else { return -1 }
                bit = Seen.value
            case 0x6564_6F63 where window[index &+ 5] == 0x22:  // code"
                guard window.colon(&index, 6, spaced), window.plainInteger(at: &index, &code)
                else { return -1 }
                bit = Seen.code
            case 0x6562_616C where window.load16(index &+ 5) == 0x226C:  // labe l"
                guard window.colonAndQuote(&index, 7, spaced),
                    window.string(at: &index, &label, &hasEscapes)
                else { return -1 }
                bit = Seen.label
            case 0x5F6C_6176
            where window.load32(index &+ 5) == 0x7478_6574 && window[index &+ 9] == 0x22:
                // val_ text"
                guard window.colonAndQuote(&index, 10, spaced),
                    window.string(at: &index, &valueText, &hasEscapes)
                else { return -1 }
                hasValueText = true
                bit = Seen.valueText
            case 0x6174_656D
            where window.load32(index &+ 5) == 0x6174_6164 && window[index &+ 9] == 0x22:
                // meta data"
                guard limits.hasFlatMetadata, window.colon(&index, 10, spaced) else { return -1 }
                index = metadata.read(window, at: index, bytesMax: limits.metadataBytesMax)
                guard index > 0 else { return -1 }
                hasMetadata = true
                bit = Seen.metadata
            case 0x6976_6564
            where wide && window.load32(index &+ 5) == 0x695F_6563
                && window.load16(index &+ 9) == 0x2264:
                // devi ce_i d"
                guard window.colonAndQuote(&index, 11, spaced),
                    window.plainString(at: &index, &deviceID)
                else { return -1 }
                bit = Seen.deviceID
            case 0x7265_7375 where wide && window.load32(index &+ 5) == 0x2264_695F:
                // user _id"
                guard window.colonAndQuote(&index, 9, spaced),
                    window.plainString(at: &index, &userID)
                else { return -1 }
                bit = Seen.userID
            case 0x7274_656D
            where wide && window.load16(index &+ 5) == 0x6369 && window[index &+ 7] == 0x22:
                // metr ic"
                guard window.colonAndQuote(&index, 8, spaced),
                    window.plainString(at: &index, &metric)
                else { return -1 }
                bit = Seen.metric
            default:
                guard wide, window.load16(index &+ 1) == 0x2274,  // t"
                    window.colon(&index, 3, spaced)
                else { return -1 }
                if window[index] == 0x22 {
                    index &+= 1
                    guard let time = times.read(window, at: &index) else { return -1 }
                    self.time = time
                } else {
                    guard let number = window.timeInNumber(at: index) else { return -1 }
                    (time, index) = number
                }
                bit = Seen.t
            }
            if seen & bit != 0 { return -1 }
            seen |= bit
            index = window.skip(index, spaced)
            let next = window[index]
            index &+= 1
            if next == 0x2C {
                index = window.skip(index, spaced)
                continue
            }
            if next == 0x7D {
                return isGood(seen, wide: wide, limits, &details)
                    && index &- start <= limits.readingBytesMax
                    ? index : -1
            }
            return -1
        }
        return -1
    }

    /// Makes all checks that ``PlainReading`` would make for such a reading.
    @inline(always)
    private mutating func isGood(
        _ seen: UInt32, wide: Bool, _ limits: FastLimits, _ details: inout PositionDetails
    ) -> Bool {
        guard time >= limits.earliest, time <= limits.latest else { return false }
        var seen = seen
        if wide {
            guard seen & Seen.deviceID == 0 || limits.isID(deviceID),
                seen & Seen.userID == 0 || limits.isID(userID)
            else { return false }
            seen &= ~Seen.sender
            if seen == Seen.namedVital, !metric.isEmpty { seen = Seen.vital }
        }
        switch kind {
        case .gps:
            if seen & Seen.details != 0 {
                hasDetails = true
                guard
                    details.complete(
                        altitude: seen & Seen.altitude != 0,
                        verticalAccuracy: seen & Seen.verticalAccuracy != 0,
                        speed: seen & Seen.speed != 0, course: seen & Seen.course != 0)
                else { return false }
            }
            return seen & ~(Seen.accuracy | Seen.details) == Seen.gps && latitude >= -90
                && latitude <= 90
                && longitude >= -180 && longitude <= 180 && accuracy.magnitude < .infinity
                && (latitude.magnitude >= .leastNormalMagnitude || latitude == 0)
                && (longitude.magnitude >= .leastNormalMagnitude || longitude == 0)
        case .vital:
            return seen == Seen.vital && code >= -32768 && code <= 32767
                && value.magnitude <= 1e100 && (value.magnitude >= 1e-100 || value == 0)
        case .event:
            return seen & ~(Seen.valueText | Seen.metadata) == Seen.event && !label.isEmpty
                && (hasEscapes
                    || label.count <= limits.labelBytesMax
                        && valueText.count <= limits.valueTextBytesMax)
        case .none:
            return false
        }
    }
}

/// The parts that ``FastReading`` reads.
extension Window {
    /// The first index from `index` on that is not white space; `index` itself unless `spaced`.
    @inline(always)
    func skip(_ index: Int, _ spaced: Bool) -> Int {
        guard spaced else { return index }
        var index = index
        while true {
            let byte = self[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return index }
            index &+= 1
        }
    }

    /// Moves forward by `count` and past the colon there.
    @inline(always)
    func colon(_ index: inout Int, _ count: Int, _ spaced: Bool) -> Bool {
        index = skip(index &+ count, spaced)
        guard self[index] == 0x3A else { return false }
        index = skip(index &+ 1, spaced)
        return true
    }

    /// Moves forward by `count` and past the colon and the opening quote there.
    @inline(always)
    func colonAndQuote(_ index: inout Int, _ count: Int, _ spaced: Bool) -> Bool {
        if !spaced {
            index &+= count
            guard load16(index) == 0x223A else { return false }
            index &+= 2
            return true
        }
        guard colon(&index, count, spaced), self[index] == 0x22 else { return false }
        index &+= 1
        return true
    }

    /// Reads `-?digits`, at most five digits without a leading zero; false for anything else.
    @inline(always)
    func plainInteger(at position: inout Int, _ result: inout Int) -> Bool {
        var index = position
        let isNegative = self[index] == 0x2D
        if isNegative { index &+= 1 }
        let start = index
        var value = 0
        var digit = self[index] &- 0x30
        while digit <= 9 {
            value = value &* 10 &+ Int(digit)
            index &+= 1
            digit = self[index] &- 0x30
        }
        let digits = index &- start
        if digits == 0 || digits > 5 || (digits > 1 && self[start] == 0x30) { return false }
        position = index
        result = isNegative ? -value : value
        return true
    }

    /// Reads a number of any form; false for anything else.
    @inline(always)
    func number(at position: inout Int, _ result: inout Double) -> Bool {
        if plainNumber(at: &position, &result) { return true }
        guard let unusual = unusualNumber(at: position) else { return false }
        position = unusual.end
        result = unusual.value
        return true
    }

    /// Reads a number with an exponent or more digits than usual.
    @inline(never)
    private func unusualNumber(at start: Int) -> (value: Double, end: Int)? {
        var cursor = JSONCursor(window: self, position: start)
        guard let range = try? cursor.number() else { return nil }
        let value = number(in: range)
        // What is too small for a double is judged by `PlainReading`.
        if value == 0, !isZero(range) { return nil }
        return (value, range.upperBound)
    }

    /// Reads a number of any form, or null, which is NaN; nil for anything else.
    ///
    /// Passes nothing by reference, so that the fast path keeps its state in registers.
    @inline(never)
    func optionalNumber(at start: Int) -> (value: Double, end: Int)? {
        var (index, value) = (start, 0.0)
        if number(at: &index, &value) { return (value, index) }
        return null(at: &index) ? (.nan, index) : nil
    }

    @inline(always)
    func null(at position: inout Int) -> Bool {
        guard load32(position) == 0x6C6C_756E else { return false }
        position &+= 4
        return true
    }

    /// Reads a string from after its opening quote to after its closing quote; false when it is
    /// wrong or incomplete.
    @inline(always)
    func string(
        at position: inout Int, _ result: inout Range<Int>, _ isEscaped: inout Bool
    ) -> Bool {
        if plainString(at: &position, &result) { return true }
        let unusual = unusualStringEnd(from: position)
        if unusual == 0 { return false }
        if unusual < 0 { isEscaped = true }
        let magnitude = unusual < 0 ? 0 &- unusual : unusual
        result = Range(uncheckedBounds: (position, magnitude))
        position = magnitude &+ 1
        return true
    }

    /// The same for a string in ASCII without escapes; false for any other.
    @inline(always)
    func plainString(at position: inout Int, _ result: inout Range<Int>) -> Bool {
        let end = plainTextEnd(from: position)
        guard self[end] == 0x22 else { return false }
        result = Range(uncheckedBounds: (position, end))
        position = end &+ 1
        return true
    }

    /// A time that is a number, in microseconds since 2000, and the index after it.
    @inline(never)
    fileprivate func timeInNumber(at start: Int) -> (time: Int64, end: Int)? {
        var cursor = JSONCursor(window: self, position: start)
        guard let range = try? cursor.number(), let time = TimestampParser.time(of: range, self)
        else { return nil }
        return (time, range.upperBound)
    }

    /// The index of the closing quote of a string with escapes or beyond ASCII, negative when there
    /// are escapes; 0 when the string is wrong or incomplete.
    ///
    /// Passes nothing by reference, so that the fast path keeps its state in registers.
    @inline(never)
    private func unusualStringEnd(from start: Int) -> Int {
        var cursor = JSONCursor(window: self, position: start &- 1)
        guard let text = try? cursor.string() else { return 0 }
        return text.isEscaped ? 0 &- text.range.upperBound : text.range.upperBound
    }
}
