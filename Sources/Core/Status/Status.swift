/// The live figures of a server for people: rates, where the time goes, which stage is the
/// bottleneck and why. `sluice top` and the page at `/status` show the same report.
///
/// ```
/// Registry ─┐
/// host      ├─▶ Sample ─┐
/// devices  ─┘           ├─▶ StatusReport ─▶ JSON ─▶ each watcher
///     a second before ──┘        │
///                                └─▶ Bottleneck
/// ```
///
/// - **Cheap while nobody watches.** ``StatusSampler`` reads the registry once a second while there
///   are watchers, however many, and every five seconds for the plots of the last hour
///   (``History``). A sample is some hundred numbers. Samples of a minute, with their histograms,
///   are kept only while somebody watches.
/// - **Little's law instead of traces.** A counter of the time that batches spent in a stage,
///   divided by the length of the interval, is the mean number of batches in that stage (L = λ·W).
///   So four sums on the hot path locate all batches in progress (``StageLoad``).
/// - **A busy lane is not a full one.** Groups grow with the queue, so lanes are busy long before
///   they reach their limit. They have reached it when a batch waits longer than a group takes
///   (``Bottleneck``).
/// - **The slowest devices** are recorded where acknowledgements are given: each event loop keeps a
///   list of fixed size and compares one number per batch (``SlowestDevices``).
///
/// ``TopView`` formats a report as lines of text, without a terminal; ``Screen`` adds the escape
/// sequences. Nothing survives a crash.
enum Status {}
