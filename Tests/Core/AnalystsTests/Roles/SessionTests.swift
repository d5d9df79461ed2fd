import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SessionTests {
    /// A time column in seconds since 2000.
    private static func second(_ column: String) -> String {
        "extract(epoch FROM \(column))::bigint - 946684800"
    }

    private static func text(of sessions: [[Sample.Reading]]) -> [String] {
        sessions.map { session in
            let counts = ["gps", "vital", "event"].map { kind in
                "\(session.filter { $0.kind == kind }.count)"
            }
            let (first, last) = (session[0].second, session[session.count - 1].second)
            return "(device-\(session[0].device),\(first),\(last),\(last - first),"
                + "\(session.count),\(counts.joined(separator: ",")))"
        }.sorted()
    }

    private static func sessions(
        _ sample: Sample, gap: Int, _ bounds: Range<Int>
    ) -> [[Sample.Reading]] {
        sample.byDevice().values.flatMap { readings in
            var sessions: [[Sample.Reading]] = []
            for reading in readings where bounds.contains(reading.second) {
                if let last = sessions.last?.last, reading.second - last.second <= gap {
                    sessions[sessions.count - 1].append(reading)
                } else {
                    sessions.append([reading])
                }
            }
            return sessions
        }
    }

    private static let columns = """
        device_id, \(second("started")), \(second("ended")),
        extract(epoch FROM duration)::bigint, readings, positions, vitals, events
        """

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `sessions match those of a simple loop over the readings`(seed: UInt64) throws {
        let sample = try Sample(seed: seed)
        let all = 0..<Int.max
        for gap in [0, 1, 60, 90, 1800, 1801, 3599, 3600, 7200] {
            #expect(
                try sample.rows(
                    "SELECT \(Self.columns) FROM analytics.sessions_by('\(gap) s')"
                ).sorted() == Self.text(of: Self.sessions(sample, gap: gap, all)))
        }
        #expect(
            try sample.rows("SELECT \(Self.columns) FROM analytics.session").sorted()
                == Self.text(of: Self.sessions(sample, gap: 1800, all)))
        // Half an hour, of which a calendar is part.
        #expect(
            try sample.rows(
                """
                SELECT \(Self.columns)
                FROM analytics.sessions_by('1 month -29 days -23 hours -30 minutes')
                """
            ).sorted() == Self.text(of: Self.sessions(sample, gap: 1800, all)))
        let start = Sample.firstDay * 86_400
        let bounds = start + 86_400..<start + 3 * 86_400
        #expect(
            try sample.rows(
                """
                SELECT \(Self.columns)
                FROM analytics.sessions_by('30 min', '2026-02-11', '2026-02-13')
                """
            ).sorted() == Self.text(of: Self.sessions(sample, gap: 1800, bounds)))
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `gaps are the pauses between sessions`(seed: UInt64) throws {
        let sample = try Sample(seed: seed)
        let sessions = Self.sessions(sample, gap: 3600, 0..<Int.max)
        let gaps = Dictionary(grouping: sessions) { $0[0].device }.values.flatMap { own in
            let sorted = own.sorted { $0[0].second < $1[0].second }
            return zip(sorted, sorted.dropFirst()).map { before, after in
                let (began, ended) = (before[before.count - 1].second, after[0].second)
                return "(device-\(after[0].device),\(began),\(ended),\(ended - began))"
            }
        }
        #expect(
            try sample.rows(
                """
                SELECT device_id, \(Self.second("began")), \(Self.second("ended")),
                    extract(epoch FROM duration)::bigint
                FROM analytics.gaps_by('1 hour')
                """
            ).sorted() == gaps.sorted())
    }
}
