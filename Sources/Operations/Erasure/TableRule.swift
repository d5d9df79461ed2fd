import Readings

/// A table, and what becomes of a user's rows in it.
public struct TableRule: Sendable {
    /// What is done.
    enum Fate: Sendable, Equatable {
        /// Rows for which `condition` holds are removed in batches. It is SQL about `r`, the table's
        /// row, with `$1` the user's id.
        case removed(key: String, condition: String)
        /// The same with files: the rows that name their contents go in the same transaction.
        case captures, journalFiles, mediaFiles
        /// Readings and what is made of them, by `device_key`, in tables of a day each.
        case days
        /// By `device_key` or by what the reading says.
        case quarantine
        /// With the row of the file.
        case withFile
        /// With the device, when it has no rows left in ``days`` and ``quarantine``.
        case withDevice
        /// Nobody's data, or the proof of an erasure.
        case kept
    }

    /// With its schema.
    public let name: String
    /// Why it is kept, or whose rows go.
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

    /// Whether rows of it may go.
    public var isErased: Bool { fate != .kept }

    /// All tables of the schema `sluice`, in the order in which rows go; devices themselves are the
    /// last that go ``Fate/withDevice``. `shard_beat` is there on Citus only.
    public static let all: [TableRule] =
        [
            // What would make or bring new rows goes first.
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
