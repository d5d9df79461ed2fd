import Oracle

/// Empties the tables of captures, and reads them back.
struct CaptureTables {
    let session: Session

    private static let filled = [
        "capture", "capture_analysis", "contact_mention", "contact", "hour_summary", "day_summary",
        "job", "notice", "app_user",
    ]

    /// Empties the tables, and leaves the server without earlier work.
    func clear() throws {
        let names = Self.filled.map { "'\($0)'" }.joined(separator: ", ")
        let there = try session.rows(
            "select tablename from pg_tables where schemaname = 'sluice' "
                + "and tablename in (\(names))"
        ).compactMap(\.first)
        guard !there.isEmpty else { return }
        try session.execute(
            "truncate " + there.map { "sluice.\($0)" }.joined(separator: ", ") + " cascade")
        try session.execute("checkpoint")
    }

    /// Why the table does not hold exactly what was sent; nil if it does.
    ///
    /// - Parameter sent: captures of each socket; all of them were acknowledged.
    func fault(_ model: CaptureModel, sent: [Int]) throws -> String? {
        let rows = try session.rows(
            """
            select capture_id, user_id, extract(epoch from captured_at)::bigint, photo_url,
                transcription, coalesce(audio_url, '-'), revision
            from sluice.capture where starts_with(capture_id, '\(model.run)-')
            """)
        var stored: [String: [String]] = [:]
        for row in rows { stored[row[0]] = row }
        guard stored.count == rows.count else { return "a capture is stored twice" }
        for (socket, count) in sent.enumerated() {
            for number in 0..<count {
                let expected = [
                    model.id(socket, number), model.user(socket),
                    String(model.second(socket, number)), model.photoURL(socket, number),
                    model.transcription(socket, number), "-", "1",
                ]
                guard let row = stored.removeValue(forKey: expected[0]) else {
                    return "\(expected[0]) was acknowledged but is not stored"
                }
                if row != expected { return "\(expected[0]) is stored as \(row)" }
            }
        }
        return stored.isEmpty ? nil : "\(stored.count) stored captures were never sent"
    }
}
