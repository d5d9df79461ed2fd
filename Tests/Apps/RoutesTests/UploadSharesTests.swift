import Auth
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import Uploads

@Suite struct UploadSharesTests {
    private let start = ContinuousClock.now

    @Test func `a used-up share is restored in a day, each user's separately`() throws {
        let shares = UploadShares(bytesPerDay: 86_400_000, filesPerDay: 86_400)
        #expect(shares.refusal(.user("ann"), now: start) == nil)
        shares.spend(bytes: 86_400_000, files: 1, of: .user("ann"), now: start)
        let wait = try #require(shares.refusal(.user("ann"), now: start))
        #expect(wait <= .seconds(1))
        #expect(shares.refusal(.user("bob"), now: start) == nil)
        #expect(shares.refusal(.user("ann"), now: start + .seconds(2)) == nil)
        // An excess over the share must be paid for.
        shares.spend(bytes: 10, files: 86_400, of: .user("bob"), now: start)
        shares.spend(bytes: 10, files: 3600, of: .user("bob"), now: start)
        let debt = try #require(shares.refusal(.user("bob"), now: start))
        #expect(debt > .seconds(3600) && debt < .seconds(3602))
    }

    @Test func `without a limit nobody waits`() {
        let shares = UploadShares(bytesPerDay: 0, filesPerDay: 0)
        shares.spend(bytes: 1 << 50, files: 1 << 30, of: .anybody, now: start)
        #expect(shares.refusal(.anybody, now: start) == nil)
    }

    @Test func `users beyond the tracked number share one share`() {
        let shares = UploadShares(bytesPerDay: 1000, filesPerDay: 1000)
        for number in 0..<UploadShares.uploadersMax {
            shares.spend(bytes: 2000, files: 1, of: .user("\(number)"), now: start)
        }
        shares.spend(bytes: 2000, files: 1, of: .user("one more"), now: start)
        #expect(shares.refusal(.user("and another"), now: start) != nil)
        // Two days later all are forgotten.
        #expect(shares.refusal(.user("and another"), now: start + .seconds(3 * 86_400)) == nil)
    }
}
