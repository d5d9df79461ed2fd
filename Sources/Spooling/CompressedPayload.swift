/// A payload made ready for `Spool.append`, on any thread.
///
/// Compressing takes several times as long as writing. Who makes these elsewhere leaves the
/// spool's owner nothing but a copy, a write and a sync.
public struct CompressedPayload: Sendable {
    /// One LZ4 frame.
    let frame: [UInt8]
    let frameChecksum: UInt32
    /// Bytes before compression.
    public let payloadBytes: Int

    /// Compresses; about a millisecond for a mebibyte.
    public init(_ payload: UnsafeRawBufferPointer) {
        precondition(
            payload.count <= RecordHeader.payloadBytesMax, "BUG: bytes=\(payload.count)")
        payloadBytes = payload.count
        let bytesMax = PayloadCodec.frameBytesMax(payloadBytes: payload.count)
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: bytesMax, alignment: 16)
        defer { scratch.deallocate() }
        // What waits takes no more memory than it needs.
        frame = [UInt8](scratch[..<PayloadCodec.compress(payload, into: scratch)])
        frameChecksum = frame.withUnsafeBytes { Checksum.of($0) }
    }

    /// Bytes after compression.
    public var frameBytes: Int { frame.count }

    /// Memory it holds.
    public var memoryBytes: Int { frame.capacity }
}
