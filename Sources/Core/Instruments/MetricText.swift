/// Builds a page of Prometheus text (version 0.0.4), or collects the same values as numbers.
///
/// Begin a family with ``family(_:_:help:)``, then add its samples. Each family may occur once per
/// page.
public struct MetricText: ~Copyable {
    /// The text so far; empty when numbers are collected.
    public private(set) var text = ""
    /// The numbers so far; nil when text is written.
    private(set) var figures: MetricFigures?
    private var name = ""
    private var kind = MetricKind.gauge
    private var families: Set<String> = []

    /// - Parameter collects: collect numbers instead of writing text.
    init(collects: Bool = false) {
        if collects {
            figures = MetricFigures()
        } else {
            text.reserveCapacity(16 * 1024)
        }
    }

    /// Begins a family with its `HELP` and `TYPE` lines; the samples that follow belong to it.
    public mutating func family(_ name: String, _ kind: MetricKind, help: String) {
        precondition(families.insert(name).inserted, "BUG: family \(name) stands twice")
        MetricName.check(name, kind)
        self.name = name
        self.kind = kind
        guard figures == nil else { return }
        text += "# HELP \(name) "
        append(escaping: help, quotes: false)
        text += "\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds one sample to the current family.
    public mutating func sample(_ value: Int, labels: [MetricLabel] = []) {
        if collect(Double(value), nil, labels) { return }
        line(suffix: "", labels: labels, bound: nil, value: String(value))
    }

    /// Adds one sample to the current family.
    public mutating func sample(_ value: Double, labels: [MetricLabel] = []) {
        if collect(value, nil, labels) { return }
        line(suffix: "", labels: labels, bound: nil, value: Self.text(of: value))
    }

    /// Adds the lines of one histogram to the current family.
    public mutating func sample(_ histogram: Histogram.Snapshot, labels: [MetricLabel] = []) {
        precondition(kind == .histogram, "BUG: \(name) is a \(kind)")
        if collect(histogram.sum, histogram, labels) { return }
        for bucket in histogram.buckets {
            line(
                suffix: "_bucket", labels: labels, bound: Self.text(of: bucket.bound),
                value: String(bucket.count))
        }
        line(suffix: "_bucket", labels: labels, bound: "+Inf", value: String(histogram.count))
        line(suffix: "_sum", labels: labels, bound: nil, value: Self.text(of: histogram.sum))
        line(suffix: "_count", labels: labels, bound: nil, value: String(histogram.count))
    }

    /// - Returns: false if text is written.
    private mutating func collect(
        _ value: Double, _ histogram: Histogram.Snapshot?, _ labels: [MetricLabel]
    ) -> Bool {
        precondition(!name.isEmpty, "BUG: a sample before its family")
        guard figures != nil else { return false }
        figures?.append(
            MetricFigures.Series(labels: labels, value: value, histogram: histogram), to: name)
        return true
    }

    private mutating func line(
        suffix: String, labels: [MetricLabel], bound: String?, value: String
    ) {
        precondition(!name.isEmpty, "BUG: a sample before its family")
        text += name
        text += suffix
        if !labels.isEmpty || bound != nil {
            text += "{"
            var separator = ""
            for label in labels {
                text += "\(separator)\(label.name)=\""
                append(escaping: label.value, quotes: true)
                text += "\""
                separator = ","
            }
            if let bound { text += "\(separator)le=\"\(bound)\"" }
            text += "}"
        }
        text += " \(value)\n"
    }

    private mutating func append(escaping value: String, quotes: Bool) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\"" where quotes: text += "\\\""
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Whole numbers without a fraction; infinities and NaN as the format spells them.
    static func text(of value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int(exactly: value) { return String(whole) }
        return "\(value)"
    }
}
