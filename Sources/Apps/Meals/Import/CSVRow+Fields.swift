import SeparatedValues

extension CSVRow {
    private func cell(_ column: Int) -> ArraySlice<UInt8> {
        column < count ? self[column] ?? [] : []
    }

    /// A field's text; empty if the row has no such column.
    func text(_ column: Int) -> String { String(decoding: cell(column), as: UTF8.self) }

    /// A field's non-negative integer; nil if it is empty, has other characters than digits, or
    /// more than 18.
    func integer(_ column: Int) -> Int64? {
        let digits = cell(column)
        guard !digits.isEmpty, digits.count <= 18 else { return nil }
        var value: Int64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }

    /// A field's number; nil if it is not a finite number.
    func number(_ column: Int) -> Double? {
        Double(text(column)).flatMap { $0.isFinite ? $0 : nil }
    }
}
