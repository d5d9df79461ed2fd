import NIOCore
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct UnsentBytesTests {
    private static func address(_ last: Int) throws -> ClientAddress {
        try #require(ClientAddress(try SocketAddress(ipAddress: "192.0.2.\(last)", port: 1)))
    }

    @Test(arguments: [81, 500, 100_000])
    func `one address leaves room for others, however much its answers have`(
        _ bytes: Int
    ) throws {
        let unsent = UnsentBytes(bytesMax: 100)
        let (one, two) = (try Self.address(1), try Self.address(2))
        let three = try Self.address(3)
        unsent.add(bytes, of: one)
        #expect(!unsent.hasRoom(for: one) && unsent.hasRoom(for: two) && unsent.hasRoom(for: nil))
        unsent.add(20, of: two)
        #expect(!unsent.hasRoom(for: two) && !unsent.hasRoom(for: three))
        #expect(unsent.value == bytes + 20)
        unsent.add(-bytes, of: one)
        unsent.add(-20, of: two)
        #expect(unsent.value == 0 && unsent.hasRoom(for: one))
        unsent.add(100, of: nil)
        #expect(!unsent.hasRoom(for: nil))
    }
}
