import Testing

@testable import sluice_bench

@Suite struct SocketFrameTests {
    private func frame(_ payload: [UInt8], mask: UInt32) -> [UInt8] {
        var frame: [UInt8] = []
        SocketFrame.put(payload, opcode: SocketFrame.Opcode.text, mask: mask, into: &frame)
        return frame
    }

    private func parse(_ bytes: [UInt8]) -> SocketFrame.Result {
        bytes.withUnsafeBytes { SocketFrame.parse($0) }
    }

    /// RFC 6455, section 5.7.
    @Test func `the standard's examples are written and read`() {
        #expect(
            frame(Array("Hello".utf8), mask: 0x37FA_213D) == [
                0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
            ])
        #expect(
            parse([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]) == .frame(opcode: 1, payload: 2..<7))
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
    func `every form of the length is written and read`(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var bytes = frame(payload, mask: 0)
        let start = bytes.count - count
        #expect(parse(bytes) == .broken, "a server does not mask")
        // Without the mask it is a server's frame.
        bytes[1] &= 0x7F
        bytes.removeSubrange(start - 4..<start)
        #expect(parse(bytes) == .frame(opcode: 1, payload: start - 4..<start - 4 + count))
        for cut in Set([0, 1, min(3, bytes.count - 1), bytes.count - 1]) {
            #expect(parse(Array(bytes[..<cut])) == .incomplete)
        }
    }

    @Test(arguments: [
        [0x01, 0x00], [0xC1, 0x00], [0x81, 0x7F] + [UInt8](repeating: 0xFF, count: 8),
    ])
    func `unsupported frames are broken`(bytes: [UInt8]) {
        #expect(parse(bytes) == .broken)
    }

    @Test func `a handshake is accepted only with the right answer`() {
        func result(_ text: String) -> SocketHandshake.Result {
            Array(text.utf8).withUnsafeBytes { SocketHandshake.parse($0) }
        }
        let good =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
            + "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        #expect(result(good) == .open(bytes: good.utf8.count))
        #expect(result(good + "\u{1}rest") == .open(bytes: good.utf8.count))
        #expect(result(String(good.dropLast())) == .incomplete)
        #expect(result(good.replacing("s3pP", with: "s3pQ")) == .refused(status: 101))
        #expect(result("HTTP/1.1 401 Unauthorized\r\n\r\n") == .refused(status: 401))
    }
}
