import Foundation
import Postgres
import Readings
import Testing

@testable import Analysis

/// Computes from the captures alone what must be stored when all jobs are done, and compares it
/// with the tables.
struct Recompute {
    private struct Row {
        var user: String
        var capture: AnalysedCapture
        var photoURL: String?
        var transcription: String?
    }

    private let connection: Connection
    private let rows: [Row]
    private let calendars: [String: UserCalendar]

    init(_ connection: Connection) throws {
        self.connection = connection
        let users = try connection.query(
            """
            select user_id, coalesce(time_zone, '\(Analysis.defaultTimeZone)') from sluice.app_user
            """)
        calendars = Dictionary(
            uniqueKeysWithValues: (0..<users.count).map {
                (users.string($0, 0), UserCalendar(users.string($0, 1)))
            })
        let captures = try connection.query(
            """
            select user_id, capture_id, c.captured_at, c.photo_url, transcription, analysis::text
            from sluice.capture c left join sluice.capture_analysis using (capture_id, user_id)
            """)
        rows = try (0..<captures.count).map { row in
            let text = captures.isNull(row, 4) ? nil : captures.string(row, 4)
            let time = Timestamp(microseconds: captures.timestamp(row, 2))
            // In any zone: an analysis must outlive a change of the user's.
            let expected = LocalAnalyser().found(
                AnalysisInput(
                    transcription: text, image: nil, audioURL: nil, time: time,
                    calendar: UserCalendar("UTC")))
            let analysis = try StoredJSON.value(CaptureAnalysis.self, captures.string(row, 5))
            #expect(analysis == expected, "\(captures.string(row, 1))")
            return Row(
                user: captures.string(row, 0),
                capture: AnalysedCapture(
                    captureID: captures.string(row, 1), time: time,
                    photoURL: captures.isNull(row, 3) ? nil : captures.string(row, 3),
                    analysis: analysis),
                photoURL: captures.isNull(row, 3) ? nil : captures.string(row, 3),
                transcription: text)
        }
    }

    /// The zones between which users move.
    static let zones = ["America/New_York", "Asia/Kathmandu", "Europe/Berlin"]

    /// Compares every table.
    func check(_ note: Comment) throws {
        try checkAnalyses(note)
        try checkContacts(note)
        try checkHours(note)
        try checkDays(note)
        let unheard = try connection.query(
            "select count(*) from sluice.capture_analysis where announced <> number")
        #expect(unheard.int64(0, 0) == 0, note)
        // No client has connected, so each result is pending, once.
        let waiting = try connection.query(
            """
            select (select count(*) from sluice.undelivered), count(*), count(*) filter (where 1 = (
                select count(*) from sluice.undelivered n
                where n.topic = 'memory' and n.user_id = a.user_id
                    and n.payload = '{"type":"memory_processed","date":"'
                        || d.date || '","captureId":"' || a.capture_id || '"}'))
            from sluice.capture_analysis a
            join sluice.app_user u using (user_id)
            join sluice.day_summary d on d.user_id = a.user_id
                and d.date = (a.captured_at
                    at time zone coalesce(u.time_zone, '\(Analysis.defaultTimeZone)'))::date
            """)
        #expect(waiting.int64(0, 0) == waiting.int64(0, 1), note)
        #expect(waiting.int64(0, 2) == waiting.int64(0, 1), note)
    }

    private func checkAnalyses(_ note: Comment) throws {
        let stale = try connection.query(
            """
            select count(*) from sluice.capture c left join sluice.capture_analysis a
                using (capture_id)
            where a.error is not null or a.revision is distinct from c.revision
                or a.captured_at is distinct from c.captured_at
            """)
        #expect(stale.int64(0, 0) == 0, note)
    }

    private func checkContacts(_ note: Comment) throws {
        let mentions = Dictionary(grouping: rows, by: \.user).mapValues { rows in
            rows.flatMap { row in
                Mention.mentions(
                    in: row.capture.analysis, captureID: row.capture.captureID,
                    time: row.capture.time, photoURL: row.photoURL,
                    transcription: row.transcription)
            }
        }
        let stored = try connection.query(
            """
            select user_id, name_key, name, relationship, notes, best_face_photo_url, first_seen,
                last_seen, mention_count
            from sluice.contact
            """)
        var found: [String: [Contact]] = [:]
        func text(_ row: Int, _ column: Int) -> String? {
            stored.isNull(row, column) ? nil : stored.string(row, column)
        }
        for row in 0..<stored.count {
            found[stored.string(row, 0), default: []].append(
                Contact(
                    nameKey: stored.string(row, 1), name: stored.string(row, 2),
                    relationship: text(row, 3), notes: text(row, 4), bestFacePhotoURL: text(row, 5),
                    firstSeen: Timestamp(microseconds: stored.timestamp(row, 6)),
                    lastSeen: Timestamp(microseconds: stored.timestamp(row, 7)),
                    mentionCount: Int(stored.int32(row, 8))))
        }
        for user in calendars.keys {
            let contacts = (found[user] ?? []).sorted { $0.nameKey < $1.nameKey }
            #expect(contacts == ContactMerge.contacts(of: mentions[user] ?? []), note)
        }
    }

    private func checkHours(_ note: Comment) throws {
        let due = try connection.query("select count(*) from sluice.hour_due")
        #expect(due.int64(0, 0) == 0, note)
        let stored = try connection.query(
            "select user_id, hour, captures, content::text from sluice.hour_summary")
        var found: [String: HourSummary] = [:]
        for row in 0..<stored.count {
            let summary = try StoredJSON.value(HourSummary.self, stored.string(row, 3))
            #expect(summary.totalCaptures == Int(stored.int32(row, 2)), note)
            found["\(stored.string(row, 0)) \(stored.timestamp(row, 1))"] = summary
        }
        let groups = Dictionary(grouping: rows) { row in
            "\(row.user) \(calendars[row.user]?.hour(of: row.capture.time).microseconds ?? 0)"
        }
        let expected = groups.compactMapValues { rows in
            calendars[rows[0].user].flatMap {
                HourComposer.summary(of: rows.map(\.capture), calendar: $0)
            }
        }
        compare(found, expected, note)
    }

    /// Reports only the differences.
    private func compare<Value: Equatable>(
        _ found: [String: Value], _ expected: [String: Value], _ note: Comment
    ) {
        for key in Set(found.keys).union(expected.keys).sorted() {
            #expect(found[key] == expected[key], "\(note) \(key)")
        }
    }

    private func checkDays(_ note: Comment) throws {
        let stored = try connection.query(
            """
            select user_id, date::text, is_final, content::text, time_zone from sluice.day_summary
            """)
        var found: [String: DaySummary] = [:]
        for row in 0..<stored.count {
            #expect(stored.bool(row, 2), note)
            found["\(stored.string(row, 0)) \(stored.string(row, 1))"] = try StoredJSON.value(
                DaySummary.self, stored.string(row, 3))
        }
        let groups = Dictionary(grouping: rows) { row in
            "\(row.user) \(calendars[row.user]?.day(of: row.capture.time).text ?? "")"
        }
        let expected = groups.compactMapValues { rows in
            calendars[rows[0].user].flatMap { calendar in
                DayComposer.summary(
                    of: rows.map(\.capture), day: calendar.day(of: rows[0].capture.time),
                    calendar: calendar, isOver: true)
            }
        }
        compare(found, expected, note)
    }
}
