import Postgres
import Readings
import Scanner

/// The sealed days, as one session knows them, and the statements for their readings.
///
/// A sealed day's partition takes no rows. Its stored readings are read from its packed table, and
/// late ones are added to that; see `sql/0023_sealed.sql`. Both happen in the group's transaction,
/// never through the foreign partition.
///
/// What a session knows may be outdated. A day that was sealed meanwhile takes no rows (55000), and of
/// one that was unsealed the packed table is gone (42P01). Then the session asks again, and the group
/// is tried once more; see ``explained(_:on:)``.
struct SealedDays: Equatable {
    /// The first day of the partition that holds a sealed day, by that day.
    private var firstDays: ByKind<[Int32: Int32]>
    /// The latest sealed day of each kind. Nearly all groups are newer.
    private var latest: ByKind<Int32>
    private var statements: [ReadingDay: Statements] = [:]
    /// When the database was asked; nil: it has no sealed days, as on Citus.
    private var knownAt: ContinuousClock.Instant?

    /// The statements for one day.
    private struct Statements {
        /// `$1` devices, `$2` first times, `$3` last times.
        let read: String
        /// Its parameters are the columns, as arrays.
        let store: String
    }

    /// Knows of none, and never asks.
    init() {
        firstDays = ByKind(repeating: [:])
        latest = ByKind(repeating: .min)
    }

    /// Asks the database.
    init(on connection: Connection) throws(PostgresError) {
        self.init()
        knownAt = .now
        let rows = try connection.query(
            """
            SELECT kind, day - date '2000-01-01', sluice.partition_days() FROM sluice.sealed_day
            WHERE state IN ('sealed', 'unsealing')
            """)
        for row in 0..<rows.count {
            let name = rows.string(row, 0)
            guard let kind = ReadingKind.allCases.first(where: { $0.name == name }) else {
                continue
            }
            let first = rows.int32(row, 1)
            for day in first..<first + rows.int32(row, 2) { firstDays[kind][day] = first }
            latest[kind] = max(latest[kind], first + rows.int32(row, 2) - 1)
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        ReadingKind.allCases.allSatisfy { left.firstDays[$0] == right.firstDays[$0] }
    }

    /// Days are sealed at any time. Before old readings are looked up, which is seldom, the database
    /// is asked again.
    mutating func refresh(
        before spans: ByKind<[Deduplication.Span]>, on connection: Connection
    ) throws(PostgresError) {
        guard let knownAt, .now - knownAt > Self.ageMax else { return }
        let yesterday = Timestamp.now().microseconds - Timestamp.microsecondsPerDay
        let isOld = ReadingKind.allCases.contains { kind in
            spans[kind].contains { $0.first < yesterday }
        }
        guard isOld else { return }
        let found = try SealedDays(on: connection)
        // The statements are kept unless days have changed.
        if found == self { self.knownAt = found.knownAt } else { self = found }
    }

    private static let ageMax: Duration = .seconds(10)

    /// Asks again after a refusal that may be due to a day that was sealed or unsealed meanwhile, and
    /// ends the failed transaction.
    ///
    /// - Returns: an error after which the group is tried again; the same if nothing has changed, so
    ///   the refusal has another cause.
    mutating func explained(_ error: PostgresError, on connection: Connection) -> PostgresError {
        guard knownAt != nil, connection.isOpen, let state = error.sqlState,
            Self.codes.contains(state.description) || Self.codes.contains(state.classCode)
        else { return error }
        do throws(PostgresError) {
            try connection.rollback()
            let found = try SealedDays(on: connection)
            guard found != self else { return error }
            self = found
        } catch _ {
            // The group's error is the one that counts.
            return error
        }
        return PostgresError(.refused, sqlState: .serializationFailure)
    }

    /// Also the failures of the foreign partition of a day that was live when the session asked.
    private static let codes: Set = ["55000", "42P01", "08", "28", "3D", "53", "HV"]

    // MARK: Stored readings

    /// Spans that are read by one statement.
    struct Part: Equatable {
        /// The first day of a sealed partition; nil: the statement for live days.
        var day: Int32?
        var spans: [Deduplication.Span]
    }

    /// Cuts spans at the borders of sealed days. No sealed day is between the spans of a live part.
    /// The spans of a device in a sealed day become one: all of them are in a few packed rows.
    func parts(of spans: [Deduplication.Span], _ kind: ReadingKind) -> [Part] {
        guard spans.contains(where: { Self.day($0.first) <= latest[kind] }) else {
            return spans.isEmpty ? [] : [Part(day: nil, spans: spans)]
        }
        var live: [Int: [Deduplication.Span]] = [:]
        var sealed: [Int32: [Int64: Deduplication.Span]] = [:]
        let starts = Set(firstDays[kind].values).sorted()
        for span in spans {
            var rest = span
            var day = Self.day(span.first)
            let end = Self.day(span.last)
            while day <= end {
                let first = firstDays[kind][day]
                var next = day + 1
                while next <= end, firstDays[kind][next] == first { next += 1 }
                var piece = rest
                if next <= end {
                    piece.last = Int64(next) * Timestamp.microsecondsPerDay - 1
                    rest.first = piece.last + 1
                }
                if let first {
                    var whole = sealed[first]?[span.deviceKey] ?? piece
                    whole.first = min(whole.first, piece.first)
                    whole.last = max(whole.last, piece.last)
                    sealed[first, default: [:]][span.deviceKey] = whole
                } else {
                    live[starts.prefix { $0 < day }.count, default: []].append(piece)
                }
                day = next
            }
        }
        return live.sorted { $0.key < $1.key }.map { Part(day: nil, spans: $0.value) }
            + sealed.sorted { $0.key < $1.key }.map { day, spans in
                Part(day: day, spans: spans.values.sorted { $0.deviceKey < $1.deviceKey })
            }
    }

    /// The statement that reads a part of a sealed day.
    mutating func reading(
        _ kind: ReadingKind, _ day: Int32, on connection: Connection
    ) throws(PostgresError) -> String {
        try statements(of: ReadingDay(kind: kind, day: day), on: connection).read
    }

    static func parameters(_ part: Part, into parameters: inout Parameters) {
        parameters.removeAll()
        parameters.append(int8s: part.spans.lazy.map(\.deviceKey))
        parameters.append(timestamptzs: part.spans.lazy.map { $0.first })
        parameters.append(timestamptzs: part.spans.lazy.map { $0.last })
    }

    // MARK: Late readings

    /// The late readings of one sealed partition.
    struct Late {
        /// Its first day.
        let day: Int32
        let rows: GroupChanges.Rows
    }

    /// Takes the rows of sealed days out of a group's rows.
    ///
    /// - Complexity: O(device batches), unless some rows are as old as a sealed day.
    func takeLate(from rows: inout [GroupChanges.Rows]) -> [Late] {
        guard rows.contains(where: isConcerned) else { return [] }
        var late: [Late] = []
        var live: [GroupChanges.Rows] = []
        for ofKind in rows {
            guard isConcerned(ofKind) else {
                live.append(ofKind)
                continue
            }
            var byDay: [Int32?: [(deviceBatch: DeviceBatch, verdict: Deduplication.Verdict)]] = [:]
            for part in ofKind.parts {
                for (day, verdict) in split(part.verdict, of: part.deviceBatch, ofKind.kind) {
                    byDay[day, default: []].append((part.deviceBatch, verdict))
                }
            }
            if let parts = byDay.removeValue(forKey: nil) {
                live.append(GroupChanges.Rows(kind: ofKind.kind, parts: parts))
            }
            for (day, parts) in byDay {
                guard let day else { continue }
                late.append(
                    Late(day: day, rows: GroupChanges.Rows(kind: ofKind.kind, parts: parts)))
            }
        }
        rows = live
        // In one order, as all that a group locks.
        return late.sorted { ($0.day, $0.rows.kind.rawValue) < ($1.day, $1.rows.kind.rawValue) }
    }

    private func isConcerned(_ rows: GroupChanges.Rows) -> Bool {
        rows.parts.contains {
            Self.day($0.deviceBatch.summary(of: rows.kind).first) <= latest[rows.kind]
        }
    }

    /// The rows of a device batch that are to be written, by the partition's first day if that is
    /// sealed; nil: by a live day.
    private func split(
        _ verdict: Deduplication.Verdict, of deviceBatch: DeviceBatch, _ kind: ReadingKind
    ) -> [Int32?: Deduplication.Verdict] {
        deviceBatch.withRows(of: kind) { rows in
            let tuples = rows.tuples.bytes
            let kept =
                if case .some(let ranges, _) = verdict { ranges } else { [0..<tuples.count] }
            var byDay: [Int32?: (ranges: [Range<Int>], count: Int)] = [:]
            for range in kept {
                var start = range.lowerBound
                while start < range.upperBound {
                    let end = TupleBuffer.tupleEnd(in: tuples, at: start)
                    let day = firstDays[kind][
                        Self.day(TupleBuffer.time(in: tuples, at: start))]
                    var (ranges, count) = byDay[day] ?? ([], 0)
                    if ranges.last?.upperBound == start {
                        ranges[ranges.count - 1] = ranges[ranges.count - 1].lowerBound..<end
                    } else {
                        ranges.append(start..<end)
                    }
                    count += 1
                    byDay[day] = (ranges, count)
                    start = end
                }
            }
            return byDay.mapValues { .some($0.ranges, count: $0.count) }
        }
    }

    /// The statement that stores late readings.
    mutating func storing(
        _ late: Late, on connection: Connection
    ) throws(PostgresError) -> String {
        try statements(
            of: ReadingDay(kind: late.rows.kind, day: late.day), on: connection
        ).store
    }

    // MARK: -

    private mutating func statements(
        of day: ReadingDay, on connection: Connection
    ) throws(PostgresError) -> Statements {
        if let known = statements[day] { return known }
        var parameters = Parameters()
        parameters.append(text: day.kind.name)
        parameters.append(date: day.day)
        parameters.append(texts: day.kind.schema.columns.map { Optional($0) })
        let rows = try connection.query(
            "SELECT sluice.reading_late($1, $2, $3), sluice.storing_late($1, $2, $3)", parameters)
        let made = Statements(read: rows.string(0, 0), store: rows.string(0, 1))
        if statements.count >= Self.statementsMax { statements = [:] }
        statements[day] = made
        return made
    }

    private static let statementsMax = 1000

    private static func day(_ time: Int64) -> Int32 { Timestamp(microseconds: time).day }
}
