/// The name of a metric, in place of the code of a vital reading.
public enum MetricName {
    /// Bytes of a name.
    public static let bytesMax = 64
    /// The first of the codes that names get. Each database gives them out anew.
    public static let firstCode = 1000
    /// New names that one API key may bring, and names that one batch may have.
    public static let ofKeyMax = 1000

    /// Whether the bytes are a name: letters from a to z, digits, `_`, `.` and `-`.
    public static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        (1...bytesMax).contains(bytes.count)
            && bytes.allSatisfy {
                switch $0 {
                case 0x61...0x7A, 0x30...0x39, 0x5F, 0x2E, 0x2D: true
                default: false
                }
            }
    }
}
