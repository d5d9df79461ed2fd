/// What a client sends, as text and as the number of readings it has.
struct Body {
    let bytes: [UInt8]
    let readings: Int
}
