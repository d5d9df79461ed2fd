import Postgres
import Readings

/// `capture_analysis`. Call everything here with the user's row locked. The exception is
/// ``stored(_:on:)`` where its result only saves work.
extension AnalysisStore {
    /// The row of a capture's analysis without the analysis itself.
    struct Stored: Sendable {
        var time: Timestamp
        var revision: Int32
        var isFallback: Bool
        var failures: Int32
        var isAnnounced: Bool
    }

    static func stored(_ captureID: String, on connection: Connection) throws -> Stored? {
        let rows = try connection.query(
            """
            select captured_at, revision, error is not null, failures, announced >= number
            from sluice.capture_analysis where capture_id = $1
            """, texts(captureID))
        guard rows.count == 1 else { return nil }
        return Stored(
            time: time(rows, 0, 0), revision: rows.int32(0, 1), isFallback: rows.bool(0, 2),
            failures: rows.int32(0, 3), isAnnounced: rows.bool(0, 4))
    }

    /// Stores an analysis and replaces the one before.
    static func store(
        _ analysis: CaptureAnalysis, of capture: Capture, by analyser: String, error: String?,
        failures: Int32, on connection: Connection
    ) throws {
        var parameters = texts(capture.id, capture.userID)
        parameters.append(timestamptz: capture.time.microseconds)
        parameters.append(text: capture.photoURL)
        parameters.append(int4: capture.revision)
        parameters.append(text: analyser)
        parameters.append(text: error)
        parameters.append(int4: failures)
        parameters.append(jsonb: StoredJSON.text(analysis))
        try connection.query(
            """
            insert into sluice.capture_analysis as a (
                capture_id, user_id, captured_at, photo_url, revision, number, analyser, error,
                failures, analysis)
            values ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9)
            on conflict (capture_id) do update set
                captured_at = excluded.captured_at, photo_url = excluded.photo_url,
                revision = excluded.revision, number = a.number + 1,
                analyser = excluded.analyser, error = excluded.error,
                failures = excluded.failures, analysis = excluded.analysis, analysed_at = now()
            """, parameters)
    }

    /// Notes another failure of the model for a capture that has a fallback already.
    static func noteFailure(
        of captureID: String, error: String, failures: Int32, on connection: Connection
    ) throws {
        var parameters = texts(captureID, error)
        parameters.append(int4: failures)
        try connection.query(
            "update sluice.capture_analysis set error = $2, failures = $3 where capture_id = $1",
            parameters)
    }

    /// A user's analysed captures in a span of time, sorted by time and id. One whose analysis this
    /// version can't read is left out and analysed again.
    static func captures(
        ofUser userID: String, in span: Range<Timestamp>, on connection: Connection
    ) throws -> [AnalysedCapture] {
        var parameters = texts(userID)
        parameters.append(timestamptz: span.lowerBound.microseconds)
        parameters.append(timestamptz: span.upperBound.microseconds)
        let rows = try connection.query(
            """
            select capture_id, captured_at, photo_url, analysis::text
            from sluice.capture_analysis
            where user_id = $1 and captured_at >= $2 and captured_at < $3
            order by captured_at, capture_id
            """, parameters)
        return try (0..<rows.count).compactMap { row in
            let id = rows.string(row, 0)
            let analysis: CaptureAnalysis
            do {
                analysis = try StoredJSON.value(CaptureAnalysis.self, rows.string(row, 3))
            } catch {
                try redo(id, ofUser: userID, on: connection)
                return nil
            }
            return AnalysedCapture(
                captureID: id, time: time(rows, row, 1),
                photoURL: rows.isNull(row, 2) ? nil : rows.string(row, 2), analysis: analysis)
        }
    }

    private static func redo(
        _ captureID: String, ofUser userID: String, on connection: Connection
    ) throws {
        try connection.query(
            """
            update sluice.capture_analysis set error = 'the stored analysis can''t be read'
            where capture_id = $1
            """, texts(captureID))
        try enqueue(
            AnalysisJobs.analyse, key: captureID, JobPayload(user: userID, capture: captureID),
            at: nil, on: connection)
    }

    /// The times of a user's analysed captures, each once.
    static func times(ofUser userID: String, on connection: Connection) throws -> [Timestamp] {
        let rows = try connection.query(
            """
            select distinct captured_at from sluice.capture_analysis
            where user_id = $1 and captured_at \(isUsable)
            """, texts(userID))
        return (0..<rows.count).map { time(rows, $0, 0) }
    }

    /// Tells the user about those captures of a day whose current analysis is not announced yet.
    /// Undelivered news of an earlier analysis of the same capture is deleted.
    static func announce(
        _ captures: [AnalysedCapture], of day: LocalDay, ofUser userID: String,
        on connection: Connection
    ) throws {
        var parameters = texts(userID)
        parameters.append(texts: captures.map(\.captureID))
        parameters.append(texts: captures.map { processedFrame($0, of: day) })
        try connection.query(
            """
            with news as (
                update sluice.capture_analysis a set announced = a.number
                from unnest($2, $3) c (capture_id, frame)
                where a.capture_id = c.capture_id and a.announced < a.number
                returning a.captured_at, a.capture_id, md5(a.capture_id)::uuid as subject, a.number,
                    c.frame
            ), outdated as (
                delete from sluice.undelivered u using news n
                where n.number > 1 and u.user_id = $1 and u.topic = 'memory'
                    and u.subject = n.subject
            )
            select sluice.tell_user('memory', $1, subject, frame)
            from (select * from news order by captured_at, capture_id) n
            """, parameters)
    }

    /// Deletes undelivered news of a user and marks its captures as not announced, because the
    /// user's days have changed. The new news will have the new day.
    static func withdrawNews(ofUser userID: String, on connection: Connection) throws {
        try connection.query(
            """
            with withdrawn as (
                delete from sluice.undelivered where user_id = $1 and topic = 'memory'
                returning subject
            )
            update sluice.capture_analysis set announced = 0
            where user_id = $1 and md5(capture_id)::uuid in (select subject from withdrawn)
            """, texts(userID))
    }

    /// The frame that clients know. Its date is the date of the day's summary.
    private static func processedFrame(_ capture: AnalysedCapture, of day: LocalDay) -> String {
        let id = StoredJSON.text(capture.clientID)
        return #"{"type":"memory_processed","date":"\#(day.text)","captureId":\#(id)}"#
    }
}
