import Testing

@testable import Auth

@Suite struct KeyLimitsTests {
    private let start = ContinuousClock.now

    @Test func `a bucket allows a burst and then its rate`() {
        var bucket = TokenBucket(rate: 100, burst: .seconds(2), now: start)
        #expect(bucket.spend(150, now: start) == nil)
        #expect(bucket.spend(50, now: start) == nil)
        let wait = bucket.spend(1, now: start)
        #expect(wait.map { $0 > .zero && $0 < .milliseconds(10) } == true)
        // A second later the bucket holds one second's worth, whatever was requested meanwhile.
        #expect(bucket.spend(100, now: start + .seconds(1)) == nil)
        #expect(bucket.spend(1, now: start + .seconds(1)) != nil)
    }

    @Test func `a request larger than the bucket is admitted, and the following ones wait for it`()
        throws
    {
        var bucket = TokenBucket(rate: 10, burst: .seconds(5), now: start)
        #expect(bucket.spend(1050, now: start) == nil)
        let spent = bucket.spend(1, now: start)
        let wait = try #require(spent)
        #expect(wait >= .seconds(100) && wait < .seconds(101))
        #expect(bucket.spend(1, now: start + .seconds(99)) != nil)
        #expect(bucket.spend(1, now: start + wait) == nil)
    }

    @Test func `a clock that goes back changes nothing`() {
        var bucket = TokenBucket(rate: 10, burst: .seconds(1), now: start)
        #expect(bucket.spend(10, now: start) == nil)
        #expect(bucket.spend(1, now: start - .seconds(100)) != nil)
        #expect(bucket.spend(1, now: start + .seconds(1)) == nil)
    }

    @Test func `over a long time a key gets its rate and no more`() {
        let account = KeyLimits(KeyID(name: "k", id: nil), bytesPerSecond: 1000)
        var now = ContinuousClock.now
        var spent = 0
        for _ in 0..<10_000 {
            now += .milliseconds(10)
            if account.spend(64, now: now) == nil { spent += 64 }
        }
        // 100 seconds, and the burst of 5.
        #expect((100_000...106_000).contains(spent), "\(spent)")
    }

    @Test func `a key without a quota is never limited`() {
        let account = KeyLimits(KeyID(name: "k", id: nil))
        for _ in 0..<100 { #expect(account.spend(.max / 2) == nil) }
    }

    @Test func `one key can't take the whole of the shared budget`() {
        let (noisy, quiet) = (
            KeyLimits(KeyID(name: "noisy", id: 1)), KeyLimits(KeyID(name: "quiet", id: 2))
        )
        var free = 10_000
        func take(_ account: KeyLimits) -> Bool {
            guard free >= 100, account.reserve(100, free: free - 100) else { return false }
            free -= 100
            return true
        }
        while take(noisy) {}
        #expect((7_500...8_500).contains(noisy.inFlightBytes), "\(noisy.inFlightBytes)")
        for _ in 0..<10 { #expect(take(quiet)) }
        #expect(!take(noisy))
        noisy.release(4_000)
        free += 4_000
        #expect(take(noisy))
    }
}
