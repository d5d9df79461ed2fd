import Channels
import Instruments
import Logging
import Postgres
import Readings
import Scanner
import Synchronization

/// The queues and ``LaneTimes`` of all lanes as metrics.
struct LaneFigures<Outside: World>: MetricSource {
    let lanes: Lane<Outside>.Book

    func expose(to text: inout MetricText) {
        let lanes = lanes.all
        func gauge(_ name: String, _ help: String, _ value: (Lane<Outside>) -> Int) {
            text.family(name, .gauge, help: help)
            for lane in lanes {
                text.sample(value(lane), labels: [MetricLabel("lane", "\(lane.number)")])
            }
        }
        gauge("sluice_lane_waiting_batches", "Batches that wait for a lane.") { $0.depth.elements }
        gauge("sluice_lane_waiting_bytes", "Bytes of batches that wait for a lane.") {
            $0.depth.bytes
        }
        gauge(
            "sluice_lane_blocked",
            "Devices and owners that a lane can't write while it writes others."
        ) { $0.blockedCount }
        gauge("sluice_lane_up", "1 while the lane commits, 0 while batches go to the spool.") {
            $0.isTaking ? 1 : 0
        }
        let all = lanes.map { ([MetricLabel("lane", "\($0.number)")], $0.times) }
        text.family(
            "sluice_lane_batches_total", .counter,
            help: "Batches and units taken from the queue of a lane.")
        for (labels, times) in all { text.sample(times.batches, labels: labels) }
        text.family(
            "sluice_lane_groups_total", .counter, help: "Transactions that a lane committed.")
        for (labels, times) in all { text.sample(times.groups, labels: labels) }
        func seconds(_ name: String, _ help: String, _ time: (LaneTimes) -> Duration) {
            text.family(name, .counter, help: help)
            for (labels, times) in all {
                text.sample(time(times) / .seconds(1), labels: labels)
            }
        }
        seconds(
            "sluice_lane_wait_seconds_total", "Time that batches waited for a lane, added up."
        ) { $0.wait }
        seconds(
            "sluice_lane_stay_seconds_total",
            "Time that batches were in a lane's group, added up."
        ) { $0.stay }
        seconds(
            "sluice_lane_busy_seconds_total", "Time in which a lane had a group to commit."
        ) { $0.busy }
        text.family(
            "sluice_lane_step_seconds_total", .counter,
            help: "Time of a lane's committed transactions, by step.")
        for (labels, times) in all {
            for (step, time) in [
                ("claim", times.steps.claim), ("sift", times.steps.sift),
                ("copy", times.steps.copy), ("commit", times.steps.commit),
            ] {
                text.sample(time / .seconds(1), labels: labels + [MetricLabel("step", step)])
            }
        }
    }
}
