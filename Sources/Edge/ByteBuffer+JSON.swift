import NIOCore

extension ByteBuffer {
    /// The number in decimal digits, without a string in between.
    mutating func writeDecimal(_ value: Int) {
        if value < 0 {
            writeStaticString("-")
        }
        var rest = value.magnitude
        // Twenty digits at most, filled from the end.
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            _ = writeBytes(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }

    /// A JSON string with its quotes (RFC 8259, section 7).
    mutating func writeJSON(_ text: String) {
        writeStaticString("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): writeStaticString("\\\"")
            case UInt8(ascii: "\\"): writeStaticString("\\\\")
            case 0..<0x20:
                writeStaticString("\\u00")
                writeString(byte < 0x10 ? "0" : "1")
                writeString(String(byte & 15, radix: 16))
            default: writeInteger(byte)
            }
        }
        writeStaticString("\"")
    }
}
