import Foundation
import Readings
import Spooling

/// The spool's files for a terminal.
enum SpoolTable {
    static func show(_ reports: [SegmentReport], path: String) {
        print(path)
        if !reports.isEmpty {
            Columns.show(
                ["FILE", "RECORDS", "READINGS", "UNITS", "OLDEST", "BYTES", "STATE"],
                reports.map { report in
                    [
                        report.name, "\(report.records)", "\(report.tally[.usual])",
                        "\(report.units - report.tally[.usual])",
                        report.firstTime.map { Moments.text(Timestamp(microseconds: $0)) } ?? "-",
                        "\(report.end) of \(report.bytes)", state(report),
                    ]
                })
        }
        let waiting = reports.filter { $0.kind == .segment }
        let readings = waiting.reduce(0) { $0 + $1.tally[.usual] }
        // Captures and the like.
        let units = waiting.reduce(0) { $0 + $1.units } - readings
        let bytes = reports.reduce(0) { $0 + $1.bytes }
        print("\(readings) readings and \(units) units of work wait; \(bytes) bytes on disk")
    }

    private static func state(_ report: SegmentReport) -> String {
        if let version = report.unknownVersion { return "of format \(version), unknown" }
        switch report.fault {
        case .damaged(let ranges): return "damaged in \(ranges.count) places"
        case .unreadable(let error): return "unreadable: \(String(cString: strerror(error.errno)))"
        case .cutShort(let bytes): return "cut short at \(bytes) bytes; acknowledged or not"
        case .doubtful(let ranges):
            return "broken in \(ranges.count) places; acknowledged or not"
        case nil: break
        }
        switch report.kind {
        case .segment:
            return report.bytesCut > 0
                ? "whole; \(report.bytesCut) bytes of a write were never acknowledged" : "whole"
        case .spare: return "spare"
        case .setAside: return "moved aside"
        }
    }
}
