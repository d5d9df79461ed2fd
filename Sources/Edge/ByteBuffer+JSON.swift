import JSONText
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

    /// See ``JSONString``.
    mutating func writeJSON(_ text: String) {
        writeString(JSONString.quoted(text))
    }
}
