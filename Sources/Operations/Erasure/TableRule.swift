import Readings

/// A table, and what an erasure does with a user's rows in it.
public struct TableRule: Sendable {
    /// What an erasure does with the rows.
    enum Fate: Sendable, Equatable {
        /// Rows that meet `condition` are removed in batches. The condition is SQL about `r`, the
        /// table's row; `$1` is the user's id.
        case removed(key: String, condition: String)
        /// Removed in batches, with the rows of `media_file` that name their contents in the same
        /// transaction.
        case captures, journalFiles, mediaFiles
        /// Readings and rollups, removed by `device_key`, in tables of one day each.
        case days
        /// Removed by `device_key`, or if the reading's body names a device of the user.
        case quarantine
        /// Removed together with the row of the file.
        case withFile
        /// Removed with the device, once it has no rows left in ``days`` and ``quarantine``.
        case withDevice
        /// Holds no user's data, or proves that an erasure took place.
        case kept
    }

    /// With the schema's name.
    public let name: String
    /// Why the table is kept, or whose rows are removed.
    public let reason: String
    let fate: Fate

    private init(_ name: String, _ fate: Fate, _ reason: String) {
        self.name = "sluice." + name
        self.fate = fate
        self.reason = reason
    }

    private static func owned(_ name: String, key: String) -> TableRule {
        TableRule(name, .removed(key: key, condition: "r.user_id = $1"), "the user's rows")
    }

    /// Whether an erasure removes rows of this table.
    public var isErased: Bool { fate != .kept }

    /// All tables of the schema `sluice`, in the order in which rows are removed; of the tables
    /// ``Fate/withDevice``, `device` comes last. `shard_beat` exists on Citus only.
    public static let all: [TableRule] =
        [
            // First the tables from which new rows could still be made.
            TableRule(
                "job", .removed(key: "id", condition: "sluice.payload_names(r.payload, $1)"),
                "jobs whose payload names the user"),
            owned("notice", key: "id"),
            owned("undelivered", key: "id"),
            TableRule(
                "unit_set_aside",
                .removed(key: "kind, digest", condition: "sluice.payload_names(r.payload, $1)"),
                "captures and meals of the user that could not be stored"),

            owned("capture_analysis", key: "capture_id"),
            TableRule("capture", .captures, "the user's captures, with their files"),
            owned("contact_mention", key: "user_id, name_key, capture_id"),
            owned("contact", key: "user_id, name_key"),
            owned("hour_due", key: "user_id, hour"),
            owned("hour_summary", key: "user_id, hour"),
            owned("day_summary", key: "user_id, date"),

            TableRule(
                "meal_log_item",
                .removed(
                    key: "meal_log_id, order_index",
                    condition: "r.meal_log_id in (select l.meal_log_id from sluice.meal_log l "
                        + "where l.user_id = $1)"), "items of the user's meals"),
            owned("meal_log", key: "meal_log_id"),
            owned("deleted_meal_log", key: "meal_log_id"),
            owned("consultation", key: "consultation_id"),
            owned("user_food", key: "user_food_id"),

            owned("upload", key: "upload_id"),
            owned("mood", key: "mood_id"),
            owned("keepsake", key: "keepsake_id"),
            owned("calendar_entry", key: "entry_id"),
            owned("profile_picture", key: "user_id"),
            TableRule("journal_file", .journalFiles, "the user's files, with their thumbnails"),
            owned("deleted_journal_entry", key: "entry_id"),
            TableRule("journal_thumbnail", .withFile, "with the file it was made of"),
            TableRule("media_file", .mediaFiles, "all other files of the user"),

            TableRule(
                "quarantine", .quarantine, "readings of the user's devices, or that name one"),
        ] + DayTable.allCases.map { TableRule($0.name, .days, "of the user's devices") } + [
            TableRule(
                "rollup_due", .withDevice, "hours of the user's devices that are to be summed"),
            TableRule("device_state", .withDevice, "watermarks of the user's devices"),
            TableRule("device", .withDevice, "devices that named the user last"),
            owned("app_user", key: "user_id"),

            TableRule("archive", .kept, "names files; what is in them is looked through"),
            TableRule("api_key", .kept, "belongs to an operator's program, not to a user"),
            TableRule("erasure", .kept, "says that it was done, and of nobody"),
            TableRule("food", .kept, "everybody's foods"),
            TableRule("food_version", .kept, "a number"),
            TableRule("metric", .kept, "names of codes"),
            TableRule("migration", .kept, "the schema's own"),
            TableRule("era_mark", .kept, "a number"),
            TableRule("node_beat", .kept, "nodes of the server"),
            TableRule("shard_beat", .kept, "nodes of the server; its keys are no device's"),
        ]
}
