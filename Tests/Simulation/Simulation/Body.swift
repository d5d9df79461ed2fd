import Scanner

/// A client's request body, and the number of readings in it.
struct Body {
    let bytes: [UInt8]
    let readings: Int
    var shape = BodyShape.document
}
