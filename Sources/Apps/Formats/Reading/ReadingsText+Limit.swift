import HTTP

extension ReadingsText {
    /// Bytes of the readings of one request, as they are written for the scanner. Those of an honest
    /// body of 16 MiB take about 40 MiB: each repeats the time and the name of its metric.
    static let bytesMax = 64 << 20

    func checkSize() throws(RequestFailure) {
        guard byteCount <= Self.bytesMax else { throw .readingsTooMany }
    }
}
