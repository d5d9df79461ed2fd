/// The content of a JSON string after unescaping, one element for each code point.
///
/// JSON's grammar allows unpaired surrogates. They stay as they are (0xD800…0xDFFF), so this type
/// can hold text that a Swift `String` can't.
struct JSONText: Equatable {
    let codePoints: [UInt32]

    /// - Parameter codeUnits: code points whose surrogates are not yet joined to pairs.
    init(joining codeUnits: [UInt32]) {
        var joined: [UInt32] = []
        for unit in codeUnits {
            if (0xDC00...0xDFFF).contains(unit), let high = joined.last,
                (0xD800...0xDBFF).contains(high)
            {
                joined[joined.count - 1] = 0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00)
            } else {
                joined.append(unit)
            }
        }
        codePoints = joined
    }

    var hasUnpairedSurrogate: Bool {
        codePoints.contains { (0xD800...0xDFFF).contains($0) }
    }

    var hasNul: Bool {
        codePoints.contains(0)
    }

    /// Nil when there is an unpaired surrogate, because such text has no UTF-8 form.
    var string: String? {
        var string = String.UnicodeScalarView()
        for codePoint in codePoints {
            guard let scalar = Unicode.Scalar(codePoint) else { return nil }
            string.append(scalar)
        }
        return String(string)
    }

    var utf8: [UInt8]? {
        string.map { Array($0.utf8) }
    }

    func `is`(_ name: String) -> Bool {
        codePoints == name.unicodeScalars.map(\.value)
    }
}
