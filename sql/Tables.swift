import Readings

extension Schema {
    /// A table of the schema `sluice`. Erasure and the sweeps of old rows follow from it.
    public struct Table: Hashable, Sendable {
        /// Whose rows a table has, and so how an erasure of a user finds and removes them.
        public enum Owner: Hashable, Sendable {
            /// The user's, if the condition holds. It is SQL about `r`, the table's row; `$1` is
            /// the user's id.
            case user(where: String)
            /// The user's in `user_id`. The rows of `media_file` that name their contents are
            /// removed in the same transaction.
            case capture, journalFile, mediaFile
            /// The journal file's; removed together with its row.
            case thumbnail
            /// The device's in `device_key`: readings and rollups, in tables of one day each.
            case day
            /// The user's in `user_id`. Where that is null, the device's in `device_key`, and every
            /// device's that the reading's body names.
            case quarantined
            /// The device's in `device_key`; removed once it has no rows left in tables of
            /// ``day`` and ``quarantined``.
            case device
            /// The device id's: lists the keys of its devices, and is removed with the last one.
            case deviceKeys
            /// No user's, or proof that an erasure took place; and why.
            case nobody(String)
        }

        /// Without the schema's name.
        public let name: String
        /// The columns of the primary key; empty: it has none.
        public let key: [String]
        /// Whose rows it has.
        public let owner: Owner
        /// The time that a row's age is counted from; nil: no sweep removes old rows.
        public let ageColumn: String?

        fileprivate init(
            _ name: String, key: String..., age: String? = nil,
            of owner: Owner = .user(where: "r.user_id = $1")
        ) {
            self.name = name
            self.key = key
            self.owner = owner
            ageColumn = age
        }

        /// With the schema's name.
        public var qualifiedName: String { "sluice." + name }

        /// Whether an erasure removes rows of this table.
        public var isErased: Bool { if case .nobody = owner { false } else { true } }

        /// Whether it has a `device_key`, by which a Citus cluster distributes its rows.
        public var isSpread: Bool { owner == .day || key.first == "device_key" }
    }

    /// All tables, in the order in which an erasure removes rows; of the tables of
    /// ``Table/Owner/device``, `device` comes last. `shard_heartbeat` exists on Citus only.
    public static let tables: [Table] =
        [
            // First the tables from which new rows could still be made. Of keys those that are bound
            // to the user: an operator's program has nobody's.
            Table("api_key", key: "id"),
            Table(
                "job", key: "id", age: "dead_at",
                of: .user(where: "sluice.payload_names(r.payload, $1)")),
            Table("notice", key: "id"),
            Table("undelivered", key: "id", age: "created_at"),
            Table(
                "unit_set_aside", key: "kind", "digest",
                of: .user(where: "sluice.payload_names(r.payload, $1)")),

            Table("capture_analysis", key: "capture_id"),
            Table("capture", key: "capture_id", of: .capture),
            Table("contact_mention", key: "user_id", "name_key", "capture_id"),
            Table("contact", key: "user_id", "name_key"),
            Table("hour_due", key: "user_id", "hour"),
            Table("hour_summary", key: "user_id", "hour"),
            Table("day_summary", key: "user_id", "date"),

            Table(
                "meal_log_item", key: "meal_log_id", "order_index",
                of: .user(
                    where: """
                        r.meal_log_id in (
                            select l.meal_log_id from sluice.meal_log l where l.user_id = $1)
                        """)),
            Table("meal_log", key: "meal_log_id"),
            // Before what remembers deletions, with which it goes.
            Table("keyed_request", key: "item_id"),
            Table("deleted_meal_log", key: "meal_log_id"),
            Table("consultation", key: "consultation_id"),
            Table("user_food", key: "user_food_id"),

            Table("upload", key: "upload_id"),
            Table("mood", key: "mood_id"),
            Table("keepsake", key: "keepsake_id"),
            Table("calendar_entry", key: "entry_id"),
            Table("profile_picture", key: "user_id"),
            Table("journal_file", key: "file_id", of: .journalFile),
            Table("deleted_journal_entry", key: "entry_id"),
            Table("journal_thumbnail", key: "file_id", "width", of: .thumbnail),
            Table("media_file", key: "path", of: .mediaFile),

            Table("quarantine", key: "device_key", "digest", age: "received_at", of: .quarantined),
        ] + DayTable.allCases.map { Table($0.name, of: .day) } + [
            Table("rollup_due", key: "device_key", "hour", "kind", of: .device),
            Table("kept_position", key: "device_key", "t", "is_first", of: .device),
            Table("device_keys", key: "device_key", "device_id", of: .deviceKeys),
            Table("device_state", key: "device_key", of: .device),
            Table("device", key: "device_key", of: .device),
            Table("app_user", key: "user_id"),

            Table(
                "archive", key: "kind", "day", "part",
                of: .nobody("names files of archived days")),
            Table("erasure", key: "id", of: .nobody("says that it was done, and of nobody")),
            Table("food", key: "food_id", of: .nobody("everybody's foods")),
            Table("food_version", key: "is_only", of: .nobody("a number")),
            Table("metric", key: "code", of: .nobody("names of codes")),
            Table("metric_name", key: "name", of: .nobody("names of codes")),
            Table("migration", key: "number", of: .nobody("the schema's own")),
            Table("epoch_mark", key: "is_only", of: .nobody("a number")),
            Table("sealed_day", key: "kind", "day", of: .nobody("the names of days")),
            Table("day_turn", of: .nobody("a lock without rows")),
            Table("archive_turn", of: .nobody("a lock without rows")),
            Table(
                "failing_item", key: "pass", "item", age: "failed_at",
                of: .nobody("keys, days and names of tables and files")),
            Table("node_heartbeat", key: "node", "lane", age: "heartbeat", of: .nobody("the server's nodes")),
            Table(
                "shard_heartbeat", key: "device_key", "node", "lane", age: "heartbeat",
                of: .nobody("the server's nodes; its keys are no device's")),
        ]
}
