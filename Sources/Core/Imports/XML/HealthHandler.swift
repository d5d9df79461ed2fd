import Readings

/// `export.xml` of Apple's Health app.
///
/// A quantity is a measurement at its start, in the unit of its metric; a new metric has the unit of
/// its first value. A value in another unit is converted. If that is not possible, it is passed on
/// with its unit, `"70 kg"`, so that it is quarantined. A category, such as a phase of sleep, and a
/// workout are events, with their end and their source in `metadata`; a workout also with its
/// distance, energy and statistics. Each source (a watch, a phone, an app) is a device: the name that
/// the caller gave, `-`, and the source's name.
///
/// - Source: the document type at the beginning of every such file.
final class HealthHandler: XMLHandler {
    private let output: ImportOutput
    private var devices: [String: String] = [:]
    private var metrics: [String: String] = [:]
    /// Of metrics whose unit nobody has said: that of the first value in this file.
    private var units: [String: String] = [:]
    /// Open correlations; their records stand in the file a second time.
    private var correlations = 0
    private var workout: Workout?

    /// A workout whose statistics follow.
    fileprivate struct Workout {
        let line: Int
        let time: String
        let device: String
        let activity: String?
        var metadata: ReadingDraft
        var statistics = 0
    }

    /// More than any workout has.
    private static let statisticsMax = 64

    init(_ output: ImportOutput) {
        self.output = output
    }

    func begin(_ name: String, prefix: String, _ attributes: XMLAttributes, line: Int) throws {
        switch name {
        case "Correlation": correlations += 1
        case "Record" where correlations == 0: try addRecord(attributes, line)
        case "Workout": workout = Workout(attributes, line, try device(attributes, line))
        case "WorkoutStatistics": addStatistics(attributes)
        case "ActivitySummary", "Audiogram", "ClinicalRecord", "VisionPrescription":
            output.leaveOut(.element(name))
        default: return
        }
    }

    func end(_ name: String) throws {
        if name == "Correlation" { correlations -= 1 }
        guard name == "Workout", let workout else { return }
        self.workout = nil
        try addEvent(
            "workout", workout.activity, at: workout.time, workout.metadata, workout.device,
            workout.line)
    }

    func add(_ text: UnsafeRawBufferPointer) throws {}

    private func addRecord(_ attributes: XMLAttributes, _ line: Int) throws {
        let type = attributes["type"] ?? ""
        let device = try device(attributes, line)
        guard type.hasPrefix("HKQuantityTypeIdentifier") else {
            return try addEvent(
                HealthMetric.snakeCase(type.replacing("HKCategoryTypeIdentifier", with: "")),
                attributes["value"], at: attributes.time("startDate"),
                attributes.ofPeriod, device, line)
        }
        let name = metric(of: type)
        let unit = attributes["unit"] ?? ""
        let metric = try output.metric(name, unit: unit)
        var draft = ReadingDraft()
        draft.add("type", text: ReadingKind.vital.name)
        draft.add("t", text: attributes.time("startDate"))
        draft.add(metric: name, metric)
        draft.add(
            "val", text: value(attributes["value"] ?? "", in: unit, of: name, as: metric?.unit))
        try output.add(line: line, device: device, user: user, draft.finished())
    }

    /// The text of a value in the unit of its metric.
    private func value(
        _ text: String, in unit: String, of name: String, as known: String?
    ) -> String {
        let wanted = known ?? units[name] ?? unit
        if units.count < 1000 { units[name] = wanted }
        guard unit != wanted || unit == "%", let number = Double(text) else { return text }
        guard let converted = HealthMetric.converted(number, from: unit, to: wanted) else {
            return "\(text) \(unit)"
        }
        return converted == number ? text : "\(converted)"
    }

    private func addStatistics(_ attributes: XMLAttributes) {
        guard let type = attributes["type"], workout != nil else { return }
        for (figure, suffix) in [
            (attributes["sum"], ""), (attributes["average"], "_average"),
            (attributes["minimum"], "_minimum"), (attributes["maximum"], "_maximum"),
        ] {
            guard let figure else { continue }
            workout?.statistics += 1
            guard workout?.statistics ?? 0 <= Self.statisticsMax else {
                return output.leaveOut(.element("WorkoutStatistics"))
            }
            let name = metric(of: type)
            workout?.metadata.add(name + suffix, text: figure)
            workout?.metadata.add(name + suffix + "_unit", text: attributes["unit"] ?? "")
        }
    }

    private func addEvent(
        _ label: String, _ value: String?, at time: String, _ metadata: ReadingDraft,
        _ device: String, _ line: Int
    ) throws {
        var draft = ReadingDraft()
        draft.add("type", text: ReadingKind.event.name)
        draft.add("t", text: time)
        draft.add("label", text: label)
        if let value { draft.add("val_text", text: value) }
        draft.add("metadata", json: metadata.finished())
        try output.add(line: line, device: device, user: user, draft.finished())
    }

    private var user: String? { output.context.user ?? output.context.device }

    private func metric(of type: String) -> String {
        if let known = metrics[type] { return known }
        let name = HealthMetric.name(of: type)
        if metrics.count < 1000 { metrics[type] = name }
        return name
    }

    private func device(_ attributes: XMLAttributes, _ line: Int) throws -> String {
        guard let name = output.context.device else { throw output.fault(line, .noDevice) }
        let source = attributes["sourceName"] ?? ""
        if let known = devices[source] { return known }
        let words = source.split { $0.isWhitespace }.joined(separator: "-")
        let whole = words.isEmpty ? name : "\(name)-\(words)"
        let device = String(String.UnicodeScalarView(whole.lowercased().unicodeScalars.prefix(128)))
        if devices.count < 1000 { devices[source] = device }
        return device
    }
}

extension HealthHandler.Workout {
    fileprivate init(_ attributes: XMLAttributes, _ line: Int, _ device: String) {
        var metadata = attributes.ofPeriod
        for (key, name) in [
            ("duration", attributes["duration"]), ("duration_unit", attributes["durationUnit"]),
            ("total_distance", attributes["totalDistance"]),
            ("total_distance_unit", attributes["totalDistanceUnit"]),
            ("total_energy_burned", attributes["totalEnergyBurned"]),
            ("total_energy_burned_unit", attributes["totalEnergyBurnedUnit"]),
        ] {
            if let name { metadata.add(key, text: name) }
        }
        self.init(
            line: line, time: attributes.time("startDate"), device: device,
            activity: attributes["workoutActivityType"], metadata: metadata)
    }
}

extension XMLAttributes {
    /// Of an event: when it ended, and who says so.
    fileprivate var ofPeriod: ReadingDraft {
        var metadata = ReadingDraft()
        metadata.add("end", text: time("endDate"))
        metadata.add("source", text: self["sourceName"] ?? "")
        return metadata
    }

    /// `2026-02-10 14:57:02 +0100` without the second blank.
    fileprivate func time(_ name: StaticString) -> String {
        var text = self[name] ?? ""
        if let last = text.lastIndex(of: " "), last != text.firstIndex(of: " ") {
            text.remove(at: last)
        }
        return text
    }
}
