import Readings

/// A good reading, without its fields.
struct GoodReading {
    var kind: ReadingKind
    /// Microseconds since 2000.
    var time: Int64
    /// Lower-cased; nil means the envelope's device.
    var deviceID: String?
    /// In a body without envelope; nil means the device id.
    var userID: String?
    /// Of a vital reading without code: the name of its metric.
    var metric: String?
}
