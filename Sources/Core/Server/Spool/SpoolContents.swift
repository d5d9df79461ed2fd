import Foundation
import Ingest
import JSONText
import Readings
import Scanner
public import SpoolLog

/// Reads a spool without changing it, also while a server uses it.
public struct SpoolContents {
    let disk: DirectoryDisk
    /// Absolute.
    public let path: String

    /// - Throws: if the directory can't be opened.
    public init(_ configuration: ServiceConfiguration) throws(StartFailure) {
        path = DataDirectory(configuration.dataDirectory).spoolPath
        do throws(SpoolError) {
            disk = try DirectoryDisk(readingFrom: path)
        } catch {
            throw .spool(error)
        }
    }

    /// One report for each file. Reads all files.
    public func reports() throws(StartFailure) -> [SegmentReport] {
        do throws(SpoolError) {
            return try SpoolVerification.verify(disk)
        } catch {
            throw .spool(error)
        }
    }

    /// Writes every reading as a line of JSON: the wire format preceded by `device_id`, `user_id`
    /// and `received_at`. A quarantined reading has `quarantined` with the reason, and `body` with
    /// its bytes. A unit of work, such as a capture, has `unit` with its kind, and `payload`.
    ///
    /// - Parameter write: gets the lines of a batch, or of a record of units.
    /// - Returns: the number of readings and units, of records that can't be decoded, and the files
    ///   of which a part can't be read now.
    public func export(
        _ write: ([UInt8]) -> Void
    ) throws(StartFailure) -> (readings: Int, unreadable: Int, unread: [String]) {
        var (readings, unreadable) = (0, 0)
        var unread: [String] = []
        for report in try reports() where report.kind != .spare {
            do throws(SpoolError) {
                if report.readError != nil { unread.append(report.name) }
                try SpoolVerification.records(of: report.name, on: disk) { record in
                    if record.kind == .workUnits, let spooled = SpooledUnits(record.payload) {
                        readings += spooled.units.count
                        write(spooled.units.flatMap(Self.line))
                        return true
                    }
                    guard let spooled = SpooledDeviceBatches(record.payload) else {
                        unreadable += 1
                        return true
                    }
                    for received in spooled.deviceBatches {
                        var lines: [UInt8] = []
                        readings += Self.append(
                            received.deviceBatch, received.receivedAt, to: &lines)
                        write(lines)
                    }
                    return true
                }
            } catch {
                if report.readError == nil { unread.append(report.name) }
            }
        }
        return (readings, unreadable, unread)
    }

    private static func text(of time: Timestamp) -> String {
        time.date.formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The payload is JSON already.
    private static func line(_ unit: SpooledUnits.Unit) -> [UInt8] {
        Array("{\"unit\":".utf8) + quoted(unit.kindName)
            + Array(",\"received_at\":\"\(text(of: unit.receivedAt))\",\"payload\":".utf8)
            + Array((unit.payload + "}\n").utf8)
    }

    private static func append(
        _ deviceBatch: DeviceBatch, _ receivedAt: Timestamp, to lines: inout [UInt8]
    ) -> Int {
        let time = text(of: receivedAt)
        let front =
            Array("{\"device_id\":".utf8) + quoted(deviceBatch.deviceID)
            + Array(",\"user_id\":".utf8) + quoted(deviceBatch.userID)
            + Array(",\"received_at\":\"\(time)\",".utf8)
        var count = deviceBatch.quarantined.count
        deviceBatch.forEachText { json in
            lines += front
            lines += json.dropFirst()
            lines.append(0x0A)
            count += 1
        }
        for reading in deviceBatch.quarantined {
            lines += front
            lines += Array("\"quarantined\":\"\(reading.reason.rawValue)\",\"body\":".utf8)
            lines += quoted(String(decoding: reading.body, as: UTF8.self))
            lines += Array("}\n".utf8)
        }
        return count
    }

    /// The text as a JSON string.
    private static func quoted(_ text: String) -> [UInt8] {
        var json: [UInt8] = []
        var text = text
        text.withUTF8 { JSONString.append(UnsafeRawBufferPointer($0), to: &json) }
        return json
    }
}

extension SpoolContents {
    /// A file that was not read.
    public struct FileSize {
        /// The file's name.
        public let name: String
        /// The file's size.
        public let bytes: Int
        /// Whether it was renamed because of damage.
        public let isSetAside: Bool
    }

    /// The records of one user in a spool.
    public struct PreviousWatermarks: Sendable {
        /// Readings and units of work to be replayed. A batch without readings counts as one.
        public internal(set) var waiting = 0
        /// Files that were moved aside and hold records of the user.
        public internal(set) var setAside: [String] = []
        /// Files that can't be read completely now, so that nobody knows.
        public internal(set) var unread: [String] = []
    }

    /// All files with their sizes; reads none of them.
    public func sizes() throws(StartFailure) -> [FileSize] {
        let manager = FileManager.default
        guard let names = try? manager.contentsOfDirectory(atPath: path) else {
            throw .spool(.disk(DiskError(.list, ".", errno: errno)))
        }
        return names.filter { $0.hasSuffix(".lz4") }.sorted().map { name in
            let attributes = try? manager.attributesOfItem(atPath: path + "/" + name)
            return FileSize(
                name: name, bytes: (attributes?[.size] as? Int) ?? 0,
                isSetAside: name.hasPrefix("bad-"))
        }
    }

    /// Reads every record.
    public func holding(of user: String) throws(StartFailure) -> PreviousWatermarks {
        var holding = PreviousWatermarks()
        for report in try reports() where report.kind != .spare {
            var count = 0
            do throws(SpoolError) {
                try SpoolVerification.records(of: report.name, on: disk) { record in
                    if let spooled = SpooledDeviceBatches(record.payload) {
                        for received in spooled.deviceBatches
                        where received.deviceBatch.userID == user {
                            // A batch without readings names the device as well.
                            count += max(received.count, 1)
                        }
                    } else if let spooled = SpooledUnits(record.payload) {
                        count += spooled.units.count { Self.isOf(user, $0.payload) }
                    }
                    return true
                }
                if report.readError != nil { holding.unread.append(report.name) }
            } catch {
                holding.unread.append(report.name)
            }
            if report.kind == .setAside {
                if count > 0 { holding.setAside.append(report.name) }
            } else {
                holding.waiting += count
            }
        }
        return holding
    }

    private static func isOf(_ user: String, _ payload: String) -> Bool {
        guard let object = try? JSONSerialization.jsonObject(with: Data(payload.utf8)),
            let fields = object as? [String: Any]
        else { return payload.contains("\"\(user)\"") }
        return fields["user"] as? String == user
    }
}

extension SetAside.Reason {
    /// What happened to the file and to acknowledged records.
    public var text: String {
        switch self {
        case .damaged:
            "a spool file is damaged: acknowledged records in it are unreadable"
        case .cutShort:
            "a spool file is truncated: the missing records may have been acknowledged"
        case .doubtful:
            """
            the last write to a spool file is broken: either it was acknowledged, or a crash \
            interrupted it before
            """
        }
    }
}
