public import Readings

extension ReadingKind {
    /// The plainest valid reading, as JSON.
    ///
    /// - Parameter fields: those that it has; nil: all.
    public func plainReading(_ fields: [ReadingField]? = nil) -> String {
        let values = (fields ?? schema.fields).map { field in
            let value =
                switch field.rule {
                case .number, .measure, .amount, .finite, .share: "5.25"
                case .integer: "7"
                case .text: "\"a\""
                case .object: "{\"a\":1}"
                case .time: "\"2026-02-10T10:00:01Z\""
                }
            return ",\"\(field.name)\":\(value)"
        }
        return "{\"t\":\"2026-02-10T10:00:00Z\",\"type\":\"\(name)\"\(values.joined())}"
    }
}
