/// What a file tells of itself; nil where it does not tell.
struct FileFacts: Codable, Sendable, Equatable {
    /// Pixels, as it is to be seen: turned as the file asks.
    var width: Int?
    var height: Int?
    /// Seconds.
    var duration: Double?
}
