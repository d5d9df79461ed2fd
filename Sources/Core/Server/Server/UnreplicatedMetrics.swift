import Ingest
import Instruments
import Postgres

/// The figures of ``UnreplicatedCommits`` as metrics.
struct UnreplicatedMetrics: MetricSource {
    let unreplicated: UnreplicatedCommits

    func expose(to text: inout MetricText) {
        let figures = unreplicated.figures
        text.family(
            "sluice_standbys", .gauge,
            help: "Physical standbys of the database that protect commits.")
        text.sample(figures.standbys)
        text.family(
            "sluice_unreplicated_bytes", .gauge,
            help: "Memory of acknowledged data that may be only on the primary.")
        text.sample(figures.bytes)
        text.family(
            "sluice_unreplicated_dropped_bytes_total", .counter,
            help: "Bytes dropped from that memory because it was full.")
        text.sample(figures.droppedBytes)
        text.family(
            "sluice_unreplicated_overdue_total", .counter,
            help: "Readings and units that waited too long for standbys and went to the spool.")
        text.sample(figures.overdue)
        text.family(
            "sluice_unreplicated_returned_total", .counter,
            help: "Readings and units that were written to the spool after a failover.")
        text.sample(figures.returned)
    }
}
