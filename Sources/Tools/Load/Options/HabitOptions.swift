import ArgumentParser
import Fleet
import Readings

/// How clients deviate from sending each reading once and in order, in percent of batches.
struct HabitOptions: ParsableArguments {
    @Option(help: "Percent of batches that are malformed as a whole.")
    var malformedBatches: Double?

    @Option(help: "Percent of batches that are sent again later, byte for byte.")
    var resent: Double?

    @Option(help: "Percent of batches that repeat half of the previous one.")
    var overlapping: Double?

    @Option(help: "Percent of batches that two connections send at the same time.")
    var doubled: Double?

    @Option(help: "Percent of batches that are sent after newer ones of their device.")
    var late: Double?

    @Option(help: "Percent of batches that are a backlog, twenty times as long.")
    var backlogs: Double?

    func validate() throws {
        try FleetOptions.demandPercents([
            ("--malformed-batches", malformedBatches), ("--resent", resent),
            ("--overlapping", overlapping), ("--doubled", doubled), ("--late", late),
            ("--backlogs", backlogs),
        ])
    }

    /// Whether each request holds as many readings as `--batch` says, and none is malformed.
    var keepBatches: Bool {
        [malformedBatches, overlapping, backlogs].allSatisfy { $0 ?? 0 == 0 }
    }

    func habits(rough: Bool) -> Habits {
        func perMillion(_ percent: Double?, _ roughPercent: Double) -> Int {
            Int((percent ?? (rough ? roughPercent : 0)) * 10_000)
        }
        return Habits(
            malformedBatches: perMillion(malformedBatches, 1), resent: perMillion(resent, 5),
            overlapping: perMillion(overlapping, 5), doubled: perMillion(doubled, 5),
            late: perMillion(late, 5), backlogs: perMillion(backlogs, 1),
            goesBackwards: rough)
    }
}
