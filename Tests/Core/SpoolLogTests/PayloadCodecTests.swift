@testable import SpoolLog
import Testing

@Suite struct PayloadCodecTests {
    private let payload: [UInt8] = (0..<1000).map { UInt8($0 % 251) }

    private var frame: [UInt8] {
        let bytesMax = PayloadCodec.frameBytesMax(payloadBytes: payload.count)
        return [UInt8](unsafeUninitializedCapacity: bytesMax) { output, count in
            payload.withUnsafeBytes {
                count = PayloadCodec.compress($0, into: UnsafeMutableRawBufferPointer(output))
            }
        }
    }

    private func decompress(_ frame: [UInt8], _ payloadBytes: Int) -> [UInt8]? {
        frame.withUnsafeBytes { PayloadCodec.decompress($0, payloadBytes: payloadBytes) }
    }

    @Test func `only one whole frame of exactly the payload's size is read`() {
        let frame = frame
        #expect(decompress(frame, payload.count) == payload)
        #expect(decompress(frame, payload.count - 1) == nil)
        #expect(decompress(frame, payload.count + 1) == nil)
        #expect(decompress(frame + [0], payload.count) == nil)
        #expect(decompress(frame + frame, payload.count) == nil)
        for count in 0..<frame.count {
            #expect(decompress(Array(frame.prefix(count)), payload.count) == nil)
        }
    }
}
