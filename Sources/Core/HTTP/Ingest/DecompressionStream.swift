import CLZ4
import NIOCore

/// A compressed format.
protocol DecompressionStream: AnyObject {
    /// Decompresses until the input is used up or the output is full.
    func step(
        from input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecompressionProgress

    /// Whether a body may end after the input so far.
    var isComplete: Bool { get }
}
