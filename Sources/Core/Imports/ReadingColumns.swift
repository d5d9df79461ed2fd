import Readings

/// The names under which files have the values of readings: the columns of the views, the keys of
/// `/ingest`, and a few more.
enum ReadingColumns {
    /// What a column is.
    enum Role: Hashable {
        case device, user, time, kind, metric
        /// Of positions in archives and exports of a user: speed and course in one number.
        case motion
        /// A value of one kind of readings or more.
        case value(String)
        /// Says nothing that a reading has.
        case passed
    }

    private static let roles: [String: Role] = {
        var roles: [String: Role] = [
            "device_id": .device, "device": .device, "user_id": .user, "user": .user,
            "t": .time, "time": .time, "timestamp": .time, "type": .kind, "kind": .kind,
            "metric": .metric, "unit": .passed, "received_at": .passed,
            "device_key": .passed, "motion": .motion,
            // Other names of fields.
            "lng": .value("lon"), "long": .value("lon"), "accuracy": .value("acc"),
            "horizontal_accuracy": .value("acc"),
        ]
        for field in ReadingKind.allCases.flatMap(\.schema.fields) {
            for name in [field.name, field.viewColumn] { roles[name] = .value(name) }
        }
        return roles
    }()

    /// nil: readings have nothing of that name.
    static func role(of name: String) -> Role? { roles[name] }

    /// The field of a kind that has this key or this column of the view.
    static func field(_ name: String, of kind: ReadingKind) -> ReadingField? {
        kind.schema.fields.first { $0.name == name || $0.viewColumn == name }
    }

    /// The kinds whose readings have these columns, in their order, where no column says the kind.
    static func kinds(of roles: some Sequence<Role>) -> [ReadingKind] {
        var found: [ReadingKind] = []
        for role in roles {
            let kind: ReadingKind
            switch role {
            case .metric: kind = .vital
            case .value(let name):
                // `value` alone says nothing: measurements and events have one.
                let kinds = ReadingKind.allCases.filter { field(name, of: $0) != nil }
                guard kinds.count == 1, field(name, of: kinds[0])?.isOptional == false else {
                    continue
                }
                kind = kinds[0]
            case .device, .user, .time, .kind, .motion, .passed: continue
            }
            if !found.contains(kind) { found.append(kind) }
        }
        return found
    }

    /// Whether a measurement's name counts, and not its code: databases give out codes from
    /// ``MetricName/firstCode`` up, each its own.
    ///
    /// - Parameter code: as the file has it, perhaps in quotes.
    static func isGivenOut(code: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: code.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        return Double(text).map { $0 >= Double(MetricName.firstCode) } ?? false
    }

    /// All names, for a message.
    static var names: [String] {
        ["device_id", "user_id", "time", "type", "metric"]
            + Set(ReadingKind.allCases.flatMap { $0.schema.fields.map(\.viewColumn) }).sorted()
    }
}
