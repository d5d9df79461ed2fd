import Readings
import Scanner
import ScannerSupport
import Testing

@Suite struct `A body that is refused` {
    @Test(arguments: Refusal.syntax + Refusal.inPlace)
    func `is no JSON at just this byte`(_ refusal: Refusal) {
        check(refusal)
    }

    @Test(arguments: Refusal.envelopes)
    func `is no batch for just this reason`(_ refusal: Refusal) {
        check(refusal)
    }

    @Test(arguments: Refusal.order)
    func `has one fault that counts`(_ refusal: Refusal) {
        check(refusal)
    }

    /// Later bytes can't change a fault that is certain already.
    @Test(arguments: Refusal.envelopes + Refusal.order + Refusal.syntax + Refusal.inPlace)
    func `is refused for the same fault whatever follows`(_ refusal: Refusal) {
        switch refusal.error {
        case .truncated, .envelope(.metadataMissing), .envelope(.dataMissing): return
        default: break
        }
        for tail in ["}", "\"", "]}", ",\"metadata\":{}}", "\\", "x", "0", "\u{0}"] {
            let body = refusal.body + Array(tail.utf8)
            #expect(agreed(on: body, [.whole, .pieces(of: 3)]).error == refusal.error)
        }
    }

    @Test func `counts the readings before its fault`() {
        let head = #"{"metadata":{"device_id":"d"},"data":[{},{},{}"#
        for (tail, received) in [("x", 3), (",1", 3), (",{", 3), (",{}", 4), ("],\"data\"", 3)] {
            let verdict = agreed(on: Array((head + tail).utf8))
            guard case .refused(_, let counted) = verdict else {
                Issue.record("taken: \(tail)")
                continue
            }
            #expect(counted == received)
        }
    }

    private func check(_ refusal: Refusal) {
        let splits = (0...refusal.body.count).map { Chunking.split(at: $0) }
        let verdict = agreed(on: refusal.body, usualChunkings + splits)
        #expect(verdict.error == refusal.error)
    }
}
