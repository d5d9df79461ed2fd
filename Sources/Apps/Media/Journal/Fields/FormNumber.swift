/// Decimal numbers in the texts of forms.
enum FormNumber {
    /// Accepts `12`, `-0.5`, `+1.5e3`, with white space around them.
    ///
    /// - Returns: nil for anything else, also for `inf`, `nan` and hexadecimal. Infinity when the
    ///   number is too large for a double.
    static func value(_ text: String) -> Double? {
        var bytes = Array(text.utf8)[...]
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        let number = String(decoding: bytes, as: UTF8.self)
        takeSign(&bytes)
        let whole = takeDigits(&bytes)
        var fraction = 0
        if bytes.first == UInt8(ascii: ".") {
            bytes.removeFirst()
            fraction = takeDigits(&bytes)
            guard fraction > 0 else { return nil }
        }
        guard whole > 0 else { return nil }
        if bytes.first == UInt8(ascii: "e") || bytes.first == UInt8(ascii: "E") {
            bytes.removeFirst()
            takeSign(&bytes)
            guard takeDigits(&bytes) > 0 else { return nil }
        }
        guard bytes.isEmpty else { return nil }
        return Double(number)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func takeSign(_ bytes: inout ArraySlice<UInt8>) {
        if bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") {
            bytes.removeFirst()
        }
    }

    private static func takeDigits(_ bytes: inout ArraySlice<UInt8>) -> Int {
        let digits = bytes.prefix { (48...57).contains($0) }.count
        bytes.removeFirst(digits)
        return digits
    }
}
