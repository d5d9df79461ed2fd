import Scanner
import TestSupport
import Testing

@testable import Ingest

/// Commits of a server that was replaced, on their way to the spool.
struct UnreplicatedCommitsTests {
    private static func group(_ places: Range<Int>) throws -> SettledGroup {
        var group = SettledGroup()
        group.deviceBatches = try places.map { place in
            let batch = try Bench.scan(Bodies.batch("d", [Bodies.vital(place)]))
            return SettledGroup.Member(
                pending: Pending(
                    payload: ReceivedDeviceBatch(
                        deviceBatch: batch.deviceBatches[0], keyName: "test", receivedAt: Bench.now),
                    offeredAt: .now),
                outcome: .committed(BatchCounts(stored: 1)))
        }
        return group
    }

    @Test func `they leave in portions, and count until they are in the spool`() throws {
        let commits = UnreplicatedCommits(bytesMax: 1 << 20)
        let group = try Self.group(0..<5)
        let bytes = group.deviceBatches[0].pending.payload.memory
        commits.keep(group, history: 0, isReplaced: false, now: .now)
        #expect(commits.figures.returning == 0)
        #expect(try #require(commits.takeOver(1)).readings == 5)
        #expect(commits.figures.returning == 5)

        let two = commits.takeReturning(upTo: 2 * bytes)
        #expect(two.deviceBatches.count == 2)
        #expect(commits.figures.returning == 5)
        commits.returned(two)
        #expect(commits.figures.returning == 3)

        // One that is larger than a portion is a portion.
        let refused = commits.takeReturning(upTo: bytes - 1)
        #expect(refused.deviceBatches.count == 1)
        commits.putBack(refused)
        #expect(commits.figures.returning == 3)

        let rest = commits.takeReturning(upTo: .max)
        #expect(rest.deviceBatches.count == 3)
        #expect(
            rest.deviceBatches.first?.offeredAt == refused.deviceBatches.first?.offeredAt)
        commits.returned(rest)
        #expect(commits.figures.returning == 0)
        #expect(commits.figures.returned == 5)
        #expect(commits.figures.bytes == 0)
    }
}
