public import Instruments

/// The metrics of formats beside those that every route has.
public struct FormatInstruments: Sendable {
    let ignored: Counter

    /// Registers them.
    public init(_ registry: Registry) {
        ignored = registry.counter(
            "sluice_input_ignored_total",
            help: "Messages of other apps that hold no reading, answered and not stored.",
            labels: [MetricLabel("format", "owntracks")])
    }
}
