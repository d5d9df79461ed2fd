import Auth
import Readings
import Testing

@Suite struct ConfiguredKeysTests {
    private func ring(_ list: String?) throws -> KeyRing {
        KeyRing(configured: try ConfiguredKeys(list)) { Timestamp(microseconds: 0) }
    }

    @Test func `both keys of a rotation work`() throws {
        let ring = try ring("old-key,new-key")
        #expect(ring.authenticate("old-key", for: .ingest)?.id.name == "configured-1")
        #expect(ring.authenticate("new-key", for: .ingest)?.id.name == "configured-2")
        #expect(ring.authenticate("old-key,new-key", for: .ingest) == nil)
        #expect(ring.authenticate("other", for: .ingest) == nil)
        #expect(ring.authenticate("old-ke", for: .ingest) == nil)
    }

    @Test(arguments: [nil, "", " ", ",", " , ,\t,\n"])
    func `a blank list has no keys and admits nobody`(list: String?) throws {
        let ring = try ring(list)
        #expect(ring.configuredCount == 0)
        for presented in ["", " ", ",", "\t"] {
            #expect(ring.authenticate(presented, for: .ingest) == nil)
        }
    }

    @Test(arguments: ["a,,b", " a , b ", "a,b,", ",a\n,b", "a,b,a"])
    func `blanks, empty entries and repetitions are dropped`(list: String) throws {
        let ring = try ring(list)
        #expect(ring.configuredCount == 2)
        #expect(ring.authenticate("a", for: .ingest) != nil)
        #expect(ring.authenticate("b", for: .ingest) != nil)
        #expect(ring.authenticate("", for: .ingest) == nil)
    }

    @Test func `a key that no header can carry is reported by its position`() {
        #expect(throws: ConfiguredKeys.Fault.notPrintable(position: 2)) {
            try ConfiguredKeys("good,schlüssel")
        }
        #expect(throws: ConfiguredKeys.Fault.tooLong(position: 3)) {
            try ConfiguredKeys("a,," + String(repeating: "x", count: 257))
        }
        #expect(throws: Never.self) {
            try ConfiguredKeys(String(repeating: "x", count: 256))
        }
    }
}
