/// What ``FastReading`` reads; each false, and nothing moved, for anything unusual.
extension Window {
    /// The first index from `index` on that is no white space, if white space may be there.
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

    /// Moves on by `count` and behind the colon there.
    @inline(always)
    func colon(_ index: inout Int, _ count: Int, _ spaced: Bool) -> Bool {
        index = skip(index &+ count, spaced)
        guard self[index] == 0x3A else { return false }
        index = skip(index &+ 1, spaced)
        return true
    }

    /// Moves on by `count` and behind the colon and the opening quote there.
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

    /// `-?digits`, at most five of them and no leading zero; false for anything else.
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

    /// A number of any form; false for anything else.
    @inline(always)
    func number(at position: inout Int, _ result: inout Double) -> Bool {
        if plainNumber(at: &position, &result) { return true }
        guard let unusual = unusualNumber(at: position) else { return false }
        position = unusual.end
        result = unusual.value
        return true
    }

    /// One with an exponent or more digits than usual.
    @inline(never)
    private func unusualNumber(at start: Int) -> (value: Double, end: Int)? {
        var cursor = JSONCursor(window: self, position: start)
        guard let range = try? cursor.number() else { return nil }
        return (number(in: range), range.upperBound)
    }

    @inline(always)
    func null(at position: inout Int) -> Bool {
        guard load32(position) == 0x6C6C_756E else { return false }
        position &+= 4
        return true
    }

    /// A string from behind its opening to behind its closing quote; false when it is wrong or
    /// incomplete.
    @inline(always)
    func string(
        at position: inout Int, _ result: inout Range<Int>, _ isEscaped: inout Bool
    ) -> Bool {
        let end = plainTextEnd(from: position)
        if self[end] == 0x22 {
            result = Range(uncheckedBounds: (position, end))
            position = end &+ 1
            return true
        }
        let unusual = unusualStringEnd(from: position)
        if unusual == 0 { return false }
        if unusual < 0 { isEscaped = true }
        let magnitude = unusual < 0 ? 0 &- unusual : unusual
        result = Range(uncheckedBounds: (position, magnitude))
        position = magnitude &+ 1
        return true
    }

    /// Of a string with escapes or beyond ASCII: the index of its closing quote, negative when
    /// there are escapes; 0 when it is wrong or incomplete.
    ///
    /// Nothing is passed by reference, so that the fast path keeps its state in registers.
    @inline(never)
    private func unusualStringEnd(from start: Int) -> Int {
        var cursor = JSONCursor(window: self, position: start &- 1)
        guard let text = try? cursor.string() else { return 0 }
        return text.isEscaped ? 0 &- text.range.upperBound : text.range.upperBound
    }
}
