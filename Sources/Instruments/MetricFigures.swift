/// Everything a registry tells at one moment, as numbers: for whoever computes with it in this
/// process instead of scraping it.
public struct MetricFigures: Sendable {
    /// One series of a family.
    public struct Series: Sendable {
        /// In the order in which they were registered.
        public let labels: [MetricLabel]
        /// A counter's or gauge's; a histogram's sum.
        public let value: Double
        /// nil for counters and gauges.
        public let histogram: Histogram.Snapshot?

        /// The value of the label with this name.
        public subscript(label: String) -> String? {
            labels.first { $0.name == label }?.value
        }
    }

    private var families: [String: [Series]] = [:]

    mutating func append(_ series: Series, to family: String) {
        families[family, default: []].append(series)
    }

    /// All series of a family; none where nothing of that name is registered.
    public subscript(family: String) -> [Series] { families[family] ?? [] }

    /// The sum of a family's series, of those with all these labels.
    public func sum(_ family: String, _ labels: MetricLabel...) -> Double {
        self[family].reduce(0) { sum, series in
            labels.allSatisfy(series.labels.contains) ? sum + series.value : sum
        }
    }

    /// The value of a family's only series; nil where there is none.
    public func value(_ family: String) -> Double? { self[family].first?.value }

    /// The only histogram of a family; nil where there is none.
    public func histogram(_ family: String) -> Histogram.Snapshot? {
        self[family].first?.histogram
    }
}
