import Synchronization

/// All values of a registry at one moment, as numbers: for code in this process that computes with
/// them.
public struct MetricFigures: Sendable {
    /// One series of a family.
    public struct Series: Sendable {
        /// In the order of registration.
        public let labels: [MetricLabel]
        /// The value of a counter or gauge; the sum of a histogram.
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

    /// All series of a family; empty if no such family is registered.
    public subscript(family: String) -> [Series] { families[family] ?? [] }

    /// The sum over a family's series that have all these labels.
    public func sum(_ family: String, _ labels: MetricLabel...) -> Double {
        self[family].reduce(0) { sum, series in
            labels.allSatisfy(series.labels.contains) ? sum + series.value : sum
        }
    }

    /// The value of a family's only series; nil if there is none.
    public func value(_ family: String) -> Double? { self[family].first?.value }

    /// The only histogram of a family; nil if there is none.
    public func histogram(_ family: String) -> Histogram.Snapshot? {
        self[family].first?.histogram
    }
}
