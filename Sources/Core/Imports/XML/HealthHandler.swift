import Readings

/// `export.xml` of Apple's Health app.
///
/// A quantity is a measurement at its start, in the unit of its metric; a new metric has the unit of
/// its first value. A category, such as a phase of
/// sleep, and a workout are events, with their end and their source in `metadata`. Each source (a
/// watch, a phone, an app) is a device: the name that the caller gave, `-`, and the source's name.
///
/// - Source: the document type at the beginning of every such file.
final class HealthHandler: XMLHandler {
    private let output: ImportOutput
    private var devices: [String: String] = [:]
    private var metrics: [String: String] = [:]
    /// Open correlations; their records stand in the file a second time.
    private var correlations = 0

    init(_ output: ImportOutput) {
        self.output = output
    }

    func begin(_ name: String, _ attributes: XMLAttributes, line: Int) throws {
        switch name {
        case "Correlation": correlations += 1
        case "Record" where correlations == 0: try addRecord(attributes, line)
        case "Workout": try addEvent("workout", attributes["workoutActivityType"], attributes, line)
        default: return
        }
    }

    func end(_ name: String) throws {
        if name == "Correlation" { correlations -= 1 }
    }

    func add(_ text: UnsafeRawBufferPointer) throws {}

    private func addRecord(_ attributes: XMLAttributes, _ line: Int) throws {
        let type = attributes["type"] ?? ""
        guard type.hasPrefix("HKQuantityTypeIdentifier") else {
            let label = HealthMetric.snakeCase(type.replacing("HKCategoryTypeIdentifier", with: ""))
            return try addEvent(label, attributes["value"], attributes, line)
        }
        let name = metric(of: type)
        let unit = attributes["unit"] ?? ""
        let metric = try output.metric(name, unit: unit)
        let wanted = metric?.unit ?? unit
        guard let factor = HealthMetric.factor(from: unit, to: wanted) else {
            return output.leaveOut(.otherUnit(of: name, is: unit, insteadOf: wanted))
        }
        var draft = ReadingDraft()
        draft.add("type", text: ReadingKind.vital.name)
        draft.add("t", text: Self.time(attributes["startDate"] ?? ""))
        draft.add(metric: name, metric)
        let value = attributes["value"] ?? ""
        if factor != 1, let number = Double(value) {
            draft.add("val", text: "\(number * factor)")
        } else {
            draft.add("val", text: value)
        }
        try add(draft, attributes, line)
    }

    private func addEvent(
        _ label: String, _ value: String?, _ attributes: XMLAttributes, _ line: Int
    ) throws {
        var draft = ReadingDraft()
        draft.add("type", text: ReadingKind.event.name)
        draft.add("t", text: Self.time(attributes["startDate"] ?? ""))
        draft.add("label", text: label)
        if let value { draft.add("val_text", text: value) }
        var metadata = ReadingDraft()
        metadata.add("end", text: Self.time(attributes["endDate"] ?? ""))
        metadata.add("source", text: attributes["sourceName"] ?? "")
        for (name, key) in [
            (attributes["duration"], "duration"), (attributes["durationUnit"], "duration_unit"),
        ] {
            if let name { metadata.add(key, text: name) }
        }
        draft.add("metadata", json: metadata.finished())
        try add(draft, attributes, line)
    }

    private func add(
        _ draft: consuming ReadingDraft, _ attributes: XMLAttributes, _ line: Int
    ) throws {
        guard let name = output.context.device else { throw output.fault(line, .noDevice) }
        try output.add(
            line: line, device: device(name, attributes["sourceName"] ?? ""),
            user: output.context.user ?? name, draft.finished())
    }

    private func metric(of type: String) -> String {
        if let known = metrics[type] { return known }
        let name = HealthMetric.name(of: type)
        if metrics.count < 1000 { metrics[type] = name }
        return name
    }

    private func device(_ name: String, _ source: String) -> String {
        if let known = devices[source] { return known }
        let words = source.split { $0.isWhitespace }.joined(separator: "-")
        let whole = words.isEmpty ? name : "\(name)-\(words)"
        let device = String(String.UnicodeScalarView(whole.lowercased().unicodeScalars.prefix(128)))
        if devices.count < 1000 { devices[source] = device }
        return device
    }

    /// `2026-02-10 14:57:02 +0100` without the second blank.
    private static func time(_ text: String) -> String {
        guard let last = text.lastIndex(of: " "), last != text.firstIndex(of: " ") else {
            return text
        }
        return text.replacingCharacters(in: last...last)
    }
}

extension String {
    fileprivate func replacingCharacters(in range: ClosedRange<Index>) -> String {
        var text = self
        text.removeSubrange(range)
        return text
    }
}
