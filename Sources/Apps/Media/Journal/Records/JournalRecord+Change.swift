import Postgres

extension JournalRecord {
    /// Writes the fields that change.
    ///
    /// - Returns: whether the user has such a record.
    static func change(
        _ kind: JournalKind, id: String, user: String, _ change: JournalChange,
        on connection: Connection
    ) throws(PostgresError) -> Bool {
        let table = JournalQueries.table(kind)
        var parameters = Parameters()
        parameters.append(text: id)
        parameters.append(text: user)
        var assignments: [String] = []
        func assign(_ column: String) {
            assignments.append("\(column) = $\(assignments.count + 3)")
        }
        let fields = change.fields
        for field in change.changed.sorted(by: { $0.rawValue < $1.rawValue }) {
            switch field {
            case .mood, .note, .reason, .title, .description, .location:
                assign(field.rawValue)
                parameters.append(text: fields.text(field))
            case .tags, .interests:
                assign(field.rawValue)
                parameters.append(texts: field == .tags ? fields.tags : fields.interests)
            case .moodIntensity:
                assign("intensity")
                parameters.append(int2: fields.moodIntensity.map { Int16($0) })
            case .createdAt:
                assign("created_at")
                parameters.append(timestamptz: fields.createdAt.map(microseconds))
            case .date:
                assign("date_text")
                parameters.append(text: fields.date?.text)
                assign("starts_at")
                parameters.append(timestamptz: fields.date?.moment)
            case .voiceNoteDuration, .category, .groupID, .keepLocation:
                preconditionFailure("BUG: \(field) can't be changed")
            }
        }
        let changed = try connection.query(
            """
            update sluice.\(table.name) set \(assignments.joined(separator: ", "))
            where \(table.key) = $1 and user_id = $2
            """, parameters)
        return changed.affectedCount > 0
    }
}

extension JournalFields {
    /// The value of a field whose column has its name.
    fileprivate func text(_ field: JournalField) -> String? {
        switch field {
        case .mood: mood
        case .note: note
        case .reason: reason
        case .title: title
        case .description: description
        case .location: location
        default: preconditionFailure("BUG: \(field) is no text")
        }
    }
}
