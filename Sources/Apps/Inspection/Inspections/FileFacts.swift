/// The facts of a file; nil where unknown.
package struct FileFacts: Sendable, Equatable {
    /// Pixels, after the rotation that the file asks for.
    package var width: Int?
    package var height: Int?
    /// Seconds.
    package var duration: Double?

    package init(width: Int? = nil, height: Int? = nil, duration: Double? = nil) {
        self.width = width
        self.height = height
        self.duration = duration
    }
}
