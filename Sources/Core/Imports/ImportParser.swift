/// Turns the bytes of a file, piece by piece, into readings.
protocol ImportParser: AnyObject {
    /// The next bytes, which are not retained.
    func take(_ piece: UnsafeRawBufferPointer) throws
    /// The file ends here.
    func finish() throws
}
