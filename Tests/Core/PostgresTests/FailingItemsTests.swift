import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FailingItemsTests {
    private let connection: Connection

    init() throws {
        connection = try TestCluster.shared.freshConnection(named: "failing_items")
    }

    private struct Broken: Error, CustomStringConvertible {
        var description: String { "can't be read" }
    }

    @Test func `an item rests for a pause that doubles, and is forgotten when it succeeds`() throws
    {
        var failing = try FailingItems(.retention, on: connection)
        var pauses: [Int64] = []
        for attempt in 1...12 {
            #expect(!failing.rests("gps_20260101"))
            try failing.failed("gps_20260101", Broken(), on: connection)
            #expect(failing.rests("gps_20260101"))
            #expect(!failing.rests("gps_20260102"))
            let row = try connection.query(
                """
                select extract(epoch from next_at - failed_at)::bigint, attempts, last_error
                from sluice.failing_now where pass = 'retention'
                """)
            pauses.append(row.int64(0, 0))
            #expect(row.int32(0, 1) == Int32(attempt))
            #expect(row.string(0, 2) == "can't be read")
            try connection.execute("update sluice.failing_item set next_at = now()")
            failing = try FailingItems(.retention, on: connection)
        }
        #expect(
            pauses == [60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360, 21_600, 21_600, 21_600])
        #expect(try FailingItems.counts(on: connection) == [.retention: 1])
        try failing.succeeded("gps_20260101", on: connection)
        #expect(try FailingItems.counts(on: connection).isEmpty)
    }

    @Test func `a pass keeps a thousand items, and one that nobody tries is gone after a day`()
        throws
    {
        try connection.execute(
            """
            select sluice.item_failed('media', i::text, 'x') from generate_series(1, 1000) i;
            select sluice.item_failed('days', '2026-01-01', 'x')
            """)
        #expect(try FailingItems.counts(on: connection)[.days] == 1)
        for item in 1001...1005 {
            try connection.execute("select sluice.item_failed('media', '\(item)', 'x')")
        }
        #expect(try FailingItems.counts(on: connection)[.media] == 1000)
        try connection.execute(
            "update sluice.failing_item set failed_at = now() - interval '25 h' where pass = 'days'"
        )
        #expect(try FailingItems.counts(on: connection) == [.media: 1000])
    }
}
