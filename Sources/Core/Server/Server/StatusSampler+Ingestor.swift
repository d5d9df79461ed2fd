import Ingest
import Instruments
import Readings
import SpoolLog
import Status

extension StatusSampler {
    /// Reports the status of this process.
    convenience init(
        of ingestor: Ingestor, registry: Registry, slowest: SlowestBoard, node: String
    ) {
        self.init(
            registry: registry, slowest: slowest, node: node,
            condition: {
                Condition(
                    isDatabaseUp: ingestor.isDatabaseUp, isAvailable: ingestor.isAvailable,
                    spoolOldestUnixSeconds: ingestor.spoolFigures?.oldestTime.map {
                        Timestamp(microseconds: $0).unixSeconds
                    })
            }, unixSeconds: { Timestamp.now().unixSeconds })
    }
}
