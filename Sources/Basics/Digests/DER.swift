/// The few DER elements that keys and signatures consist of.
///
/// - Source: ITU-T X.690.
enum DER {
    static func sequence(_ contents: [UInt8]) -> [UInt8] { element(0x30, contents) }

    static func identifier(_ contents: [UInt8]) -> [UInt8] { element(0x06, contents) }

    /// A bit string of whole bytes.
    static func bits(_ contents: [UInt8]) -> [UInt8] { element(0x03, [0] + contents) }

    /// - Parameter digits: a number that is not negative, big-endian.
    static func integer(_ digits: [UInt8]) -> [UInt8] {
        var digits = Array(digits.drop { $0 == 0 })
        // The first bit is the sign.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return element(0x02, digits)
    }

    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        if contents.count < 0x80 {
            length = [UInt8(contents.count)]
        } else {
            var rest = contents.count
            while rest > 0 {
                length.insert(UInt8(rest & 0xFF), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + contents
    }
}
