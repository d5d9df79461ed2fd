/// Turns the bytes of a file, piece by piece, into readings.
protocol ImportParser: AnyObject {
    /// Where what has been taken ends, or what began there and is not complete, from 1.
    var line: Int { get }
    /// The next bytes, which are not retained.
    func take(_ piece: UnsafeRawBufferPointer) throws
    /// The file ends here.
    func finish() throws
}
