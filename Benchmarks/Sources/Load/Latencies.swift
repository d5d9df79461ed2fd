import Histogram

/// Latencies as they come, folded into the histograms once in a while: an append costs a tenth of
/// what the histogram does.
struct Latencies {
    private static let keptMax = 1 << 20

    private var accepted: [(fromIntended: UInt64, fromSend: UInt64)] = []
    private var refused: [(fromIntended: UInt64, fromSend: UInt64)] = []

    mutating func record(
        accepted isAccepted: Bool, fromIntended: UInt64, fromSend: UInt64,
        into report: inout LoadReport
    ) {
        if isAccepted {
            accepted.append((fromIntended, fromSend))
        } else {
            refused.append((fromIntended, fromSend))
        }
        if accepted.count + refused.count >= Self.keptMax { flush(into: &report) }
    }

    mutating func flush(into report: inout LoadReport) {
        for latency in accepted {
            _ = report.accepted.record(latency.fromIntended)
            _ = report.acceptedFromSend.record(latency.fromSend)
        }
        for latency in refused {
            _ = report.refused.record(latency.fromIntended)
            _ = report.refusedFromSend.record(latency.fromSend)
        }
        accepted.removeAll(keepingCapacity: true)
        refused.removeAll(keepingCapacity: true)
    }
}
