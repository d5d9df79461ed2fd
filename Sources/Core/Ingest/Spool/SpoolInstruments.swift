public import Instruments
import Logging
import Readings
import Scanner
import SpoolLog
import Synchronization

/// The spool's instruments, besides its ledger.
public final class SpoolInstruments: Sendable {
    let syncTime: Histogram
    let recordReadings: Histogram
    let batchesRefused: Counter
    let failures: Counter
    let readFailures: Counter
    let stalls: Counter

    /// Registers all of them, once for each registry.
    public init(_ registry: Registry) {
        syncTime = registry.histogram(
            "sluice_spool_sync_seconds", help: "Time to write and sync a group of batches.",
            unit: .seconds, bounds: Histogram.latencyBounds)
        recordReadings = registry.histogram(
            "sluice_spool_record_readings", help: "Readings a record.",
            unit: .count, bounds: Histogram.sizeBounds)
        batchesRefused = registry.counter(
            "sluice_spool_refused_total", help: "Batches that the spool had no room for.")
        failures = registry.counter(
            "sluice_spool_failures_total", help: "Groups that could not be written or synced.")
        readFailures = registry.counter(
            "sluice_spool_read_failures_total",
            help: "Times that a record or file of the spool could not be read; it is tried again.")
        stalls = registry.counter(
            "sluice_lane_stalls_total",
            help: "Times that batches went to the spool because their lane took too long.")
    }
}
