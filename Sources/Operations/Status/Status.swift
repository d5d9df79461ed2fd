/// The figures of a running server for people: what happens a second, where the time goes, which
/// stage is the bottleneck and why. `sluice top` and the page at `/status` show the same report.
///
/// ```
/// Registry ─┐
/// host      ├─▶ Sample ─┐
/// devices  ─┘           ├─▶ StatusReport ─▶ JSON ─▶ each watcher
///     a second before ──┘        │
///                                └─▶ Bottleneck
/// ```
///
/// - **Costs little while nobody watches**: ``StatusSampler`` reads the registry once a second as
///   long as there is a watcher, however many there are, and every five seconds for the last hour of
///   what is plotted (``History``). A sample is some hundred numbers; a minute of histograms is kept
///   while somebody watches.
/// - **Little's law instead of traces.** A counter of time that batches spent in a stage, divided
///   by the length of the interval, is the mean number of batches in that stage (L = λ·W). So four
///   sums on the hot path say where all batches under way are (``StageLoad``).
/// - **A busy lane is not a full one.** Groups grow with what waits, so lanes are busy long before they
///   are at their limit; they are there when a batch waits longer than a group takes
///   (``Bottleneck``).
/// - **Slowest devices** are found where acknowledgements are given: each event loop keeps a list of
///   fixed size and compares one number a batch (``SlowestDevices``).
///
/// ``TopView`` makes lines for a terminal of a report, without any terminal; ``Screen`` makes of them
/// what the terminal gets. A crash leaves nothing.
enum Status {}

/// Whoever wants to see the reports of this server, a second apart.
public protocol StatusFeed: Sendable {
    /// Reports as JSON texts without a line break, until the server stops.
    ///
    /// The newest one that there is comes at once. Who reads slowly gets the newest only. Letting
    /// go of the stream ends the subscription.
    func reports() -> AsyncStream<String>

    /// The last hour of the figures that are plotted, as a JSON text without a line break; nil while
    /// there are none.
    func history() -> String?
}
