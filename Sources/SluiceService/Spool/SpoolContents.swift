import Foundation
import Ingestion
import Readings
import Scanning
public import Spooling

/// Looks into a spool, beside the server that has it or without one; changes nothing.
public struct SpoolContents {
    let disk: DirectoryDisk
    /// Absolute.
    public let path: String

    /// - Throws: when the directory can't be opened.
    public init(_ configuration: ServiceConfiguration) throws(StartFailure) {
        path = DataDirectory(configuration.dataDirectory).spoolPath
        do throws(SpoolError) {
            disk = try DirectoryDisk(readingFrom: path)
        } catch {
            throw .spool(error)
        }
    }

    /// A report a file. Reads everything.
    public func reports() throws(StartFailure) -> [SegmentReport] {
        do throws(SpoolError) {
            return try SpoolVerification.verify(disk)
        } catch {
            throw .spool(error)
        }
    }

    /// Every reading as a line of JSON, in the wire format with `device_id` and `received_at` in
    /// front; one that was set aside has `quarantined` with the reason, and `body` with its bytes. A
    /// unit of work, such as a capture, is a line with `unit`, its kind, and `payload`.
    ///
    /// - Parameter write: takes the lines of one batch.
    /// - Returns: the number of readings and units, and of records that can't be understood.
    public func export(
        _ write: ([UInt8]) -> Void
    ) throws(StartFailure) -> (readings: Int, unreadable: Int) {
        var (readings, unreadable) = (0, 0)
        for report in try reports() where report.kind != .spare {
            do throws(SpoolError) {
                try SpoolVerification.records(of: report.name, on: disk) { record in
                    if record.kind == .workUnits, let spooled = SpooledUnits(record.payload) {
                        readings += spooled.units.count
                        write(spooled.units.flatMap(Self.line))
                        return true
                    }
                    guard let spooled = SpooledBatches(record.payload) else {
                        unreadable += 1
                        return true
                    }
                    for batch in spooled.batches {
                        var lines: [UInt8] = []
                        for parcel in batch.parcels {
                            readings += Self.append(parcel, batch.receivedAt, to: &lines)
                        }
                        write(lines)
                    }
                    return true
                }
            } catch {
                throw .spool(error)
            }
        }
        return (readings, unreadable)
    }

    private static func text(ofTime microseconds: Int64) -> String {
        Timestamp(microseconds: microseconds).date.formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The payload is JSON already.
    private static func line(_ unit: SpooledUnits.Unit) -> [UInt8] {
        Array("{\"unit\":".utf8) + quoted(unit.kindName)
            + Array(",\"received_at\":\"\(text(ofTime: unit.receivedAt))\",\"payload\":".utf8)
            + Array((unit.payload + "}\n").utf8)
    }

    private static func append(
        _ parcel: Parcel, _ receivedAt: Int64, to lines: inout [UInt8]
    ) -> Int {
        let time = text(ofTime: receivedAt)
        let front =
            Array("{\"device_id\":".utf8) + quoted(parcel.deviceID)
            + Array(",\"received_at\":\"\(time)\",".utf8)
        var count = parcel.quarantined.count
        for kind in ReadingKind.allCases {
            let tuples = parcel.tuples(of: kind)
            tuples.withUnsafeBytes { bytes in
                var start = 0
                while start < bytes.count {
                    lines += front
                    lines += ReadingText.json(kind, bytes, at: start).dropFirst()
                    lines.append(0x0A)
                    start = TupleBuffer.tupleEnd(in: bytes, at: start)
                    count += 1
                }
            }
        }
        for reading in parcel.quarantined {
            lines += front
            lines += Array("\"quarantined\":\"\(reading.reason.rawValue)\",\"body\":".utf8)
            lines += quoted(String(decoding: reading.body, as: UTF8.self))
            lines += Array("}\n".utf8)
        }
        return count
    }

    /// A JSON string.
    private static func quoted(_ text: String) -> [UInt8] {
        // A string is always encodable.
        (try? Array(JSONEncoder().encode(text))) ?? []
    }
}
