import Schema

/// Whose rows are a user's, as SQL, table by table, for exports. Erasures go through devices and
/// files in chunks, with conditions of their own; both must find the same number of rows.
enum UserRows {
    /// A condition on a row `r` of the table.
    ///
    /// - Parameters:
    ///   - user: an SQL expression for the user's id.
    ///   - keys: one for the keys of the user's devices, `bigint[]`.
    ///   - pattern: one for a regular expression that readings match which name these devices;
    ///     nil: there are none.
    /// - Returns: nil for a table that has nobody's rows.
    static func condition(
        of table: Schema.Table, user: String, keys: String, pattern: String?
    ) -> String? {
        switch table.owner {
        case .user(let condition): condition.replacing("$1", with: user)
        case .capture, .journalFile: "r.user_id = \(user)"
        case .mediaFile: Eraser.isOfUser("r").replacing("$1", with: user)
        case .thumbnail:
            """
            r.file_id in (select f.file_id from sluice.journal_file f where f.user_id = \(user))
            """
        case .quarantined:
            "(r.user_id = \(user) or \(quarantined(keys: keys, pattern: pattern ?? "null")))"
        case .day, .device: "r.device_key = any (\(keys))"
        case .deviceKeys: "r.keys <@ \(keys)"
        case .nobody: nil
        }
    }

    /// Of readings that were quarantined before their user was noted.
    static func quarantined(keys: String, pattern: String) -> String {
        """
        (r.user_id is null and (r.device_key = any (\(keys)) \
        or encode(r.body, 'escape') ~* \(pattern)))
        """
    }
}
