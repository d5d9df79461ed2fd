import Synchronization

/// All metrics of a server, in the order of registration.
///
/// Registering takes a lock and happens while the server is assembled. Rendering takes the lock to
/// copy the lists, not while it reads the values. Recording never takes it.
public final class Registry: Sendable {
    /// Maximum number of series over all families. Reaching it is a bug: label values are fixed in
    /// the code.
    public static let seriesMax = 2048

    private enum Reader: Sendable {
        case integer(@Sendable () -> Int)
        case number(@Sendable () -> Double)
        case histogram(Histogram)
    }

    private struct Series: Sendable {
        let labels: [MetricLabel]
        let reader: Reader
    }

    private struct Family: Sendable {
        let name: String
        let kind: MetricKind
        let help: String
        var series: [Series] = []
        /// The label sets of the series; no two are equal.
        var labels: Set<[MetricLabel]> = []
    }

    private struct State: Sendable {
        var families: [Family] = []
        var positions: [String: Int] = [:]
        var sources: [any MetricSource] = []
        var seriesCount = 0
    }

    private let state = Mutex(State())

    /// A registry without metrics.
    public init() {}

    /// Adds a counter; `name` must end in `_total`.
    public func counter(
        _ name: String, help: String, labels: [MetricLabel] = []
    ) -> Counter {
        let counter = Counter()
        add(name, .counter, help, labels, .integer { counter.value })
        return counter
    }

    /// Adds a counter of seconds, or of another fractional quantity, that is read at every scrape.
    public func counter(
        _ name: String, help: String, labels: [MetricLabel] = [],
        read: @escaping @Sendable () -> Double
    ) {
        add(name, .counter, help, labels, .number(read))
    }

    /// Adds a gauge that the measured code updates.
    public func gauge(_ name: String, help: String, labels: [MetricLabel] = []) -> Gauge {
        let gauge = Gauge()
        add(name, .gauge, help, labels, .integer { gauge.value })
        return gauge
    }

    /// Adds a gauge that is read at every scrape; `read` must be quick.
    public func gauge(
        _ name: String, help: String, labels: [MetricLabel] = [],
        read: @escaping @Sendable () -> Double
    ) {
        add(name, .gauge, help, labels, .number(read))
    }

    /// Adds a histogram; `bounds` are in nanoseconds or counts, see ``Histogram``.
    public func histogram(
        _ name: String, help: String, labels: [MetricLabel] = [],
        unit: Histogram.Unit, bounds: [Int]
    ) -> Histogram {
        let histogram = Histogram(unit, bounds: bounds)
        add(name, .histogram, help, labels, .histogram(histogram))
        return histogram
    }

    /// Adds one counter for each key, and one labelled `other` for all other keys.
    public func counters<Key: Hashable & Sendable>(
        _ name: String, help: String, label: String, keys: [Key],
        text: (Key) -> String = { "\($0)" }
    ) -> MetricFamily<Key, Counter> {
        var instruments: [Key: Counter] = [:]
        for key in keys {
            instruments[key] = counter(name, help: help, labels: [MetricLabel(label, text(key))])
        }
        return MetricFamily(
            instruments: instruments,
            other: counter(name, help: help, labels: [MetricLabel(label, "other")]))
    }

    /// Adds families that are read together; they follow all others on the page.
    public func add(_ source: any MetricSource) {
        state.withLock { $0.sources.append(source) }
    }

    private func add(
        _ name: String, _ kind: MetricKind, _ help: String, _ labels: [MetricLabel],
        _ reader: Reader
    ) {
        MetricName.check(name, kind)
        state.withLock { state in
            let position = state.positions[name] ?? state.families.count
            if position == state.families.count {
                state.positions[name] = position
                state.families.append(Family(name: name, kind: kind, help: help))
            }
            precondition(
                state.families[position].kind == kind && state.families[position].help == help,
                "BUG: \(name) is registered in two forms")
            let isNew = state.families[position].labels.insert(labels).inserted
            precondition(isNew, "BUG: \(name) \(labels) is registered twice")
            precondition(state.seriesCount < Self.seriesMax, "BUG: too many series")
            state.seriesCount += 1
            state.families[position].series.append(Series(labels: labels, reader: reader))
        }
    }

    /// The page for `Content-Type: text/plain; version=0.0.4; charset=utf-8`.
    public func render() -> String {
        var text = MetricText()
        expose(to: &text)
        return text.text
    }

    /// The values of ``render()`` as numbers.
    public func figures() -> MetricFigures {
        var text = MetricText(collects: true)
        expose(to: &text)
        return text.figures ?? MetricFigures()
    }

    private func expose(to text: inout MetricText) {
        let (families, sources) = state.withLock { ($0.families, $0.sources) }
        for family in families {
            text.family(family.name, family.kind, help: family.help)
            for series in family.series {
                switch series.reader {
                case .integer(let read): text.sample(read(), labels: series.labels)
                case .number(let read): text.sample(read(), labels: series.labels)
                case .histogram(let histogram):
                    text.sample(histogram.snapshot, labels: series.labels)
                }
            }
        }
        for source in sources {
            source.expose(to: &text)
        }
    }
}
