import Foundation
import Ingestion
import Readings
import Scanning
import Spooling

extension SpoolContents {
    /// A file, without having looked into it.
    public struct FileSize {
        /// Its name.
        public let name: String
        /// Its size.
        public let bytes: Int
        /// It was moved aside because of damage.
        public let isSetAside: Bool
    }

    /// What the spool holds of one user.
    public struct Holding: Sendable {
        /// Readings and units of work that will be brought back.
        public internal(set) var waiting = 0
        /// Files that were moved aside and hold some.
        public internal(set) var setAside: [String] = []
    }

    /// All files with their sizes; reads none.
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

    /// Looks through every record.
    ///
    /// - Parameter devices: the user's, lower-case.
    public func holding(
        of user: String, devices: Set<String>
    ) throws(StartFailure) -> Holding {
        var holding = Holding()
        for report in try reports() where report.kind != .spare {
            var count = 0
            do throws(SpoolError) {
                try SpoolVerification.records(of: report.name, on: disk) { record in
                    if let spooled = SpooledBatches(record.payload) {
                        for parcel in spooled.batches.lazy.flatMap(\.parcels)
                        where Self.isOf(user, devices, parcel) {
                            // A batch without readings names the device as well.
                            count += max(parcel.rowCount + parcel.quarantined.count, 1)
                        }
                    } else if let spooled = SpooledUnits(record.payload) {
                        count += spooled.units.count { Self.isOf(user, $0.payload) }
                    }
                    return true
                }
            } catch {
                throw .spool(error)
            }
            if report.kind == .setAside {
                if count > 0 { holding.setAside.append(report.name) }
            } else {
                holding.waiting += count
            }
        }
        return holding
    }

    private static func isOf(_ user: String, _ devices: Set<String>, _ parcel: Parcel) -> Bool {
        parcel.attributes?.userID == user || parcel.deviceID == user
            || devices.contains(parcel.deviceID)
    }

    private static func isOf(_ user: String, _ payload: String) -> Bool {
        guard let object = try? JSONSerialization.jsonObject(with: Data(payload.utf8)),
            let fields = object as? [String: Any]
        else { return payload.contains("\"\(user)\"") }
        return fields["user"] as? String == user
    }
}
