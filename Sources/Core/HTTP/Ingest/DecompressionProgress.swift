import CLZ4

/// The result of one step of a stream.
struct DecompressionProgress {
    var consumed = 0
    var produced = 0
    /// Why the stream can't continue; nil if it can. `consumed` then leads to the position of the
    /// fault, which may be in an earlier piece.
    var fault: BodyEncodingFault?

    /// This progress, ended by a fault.
    func failed(_ fault: BodyEncodingFault) -> DecompressionProgress {
        DecompressionProgress(consumed: consumed, produced: produced, fault: fault)
    }
}
