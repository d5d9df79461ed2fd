import Foundation
import Spooling

/// Failures of the spool in words.
extension Complaint {
    static func code(_ error: SpoolError) -> Int32 {
        switch error {
        case .locked: EX_TEMPFAIL
        case .unknownVersion: EX_UNAVAILABLE
        case .disk, .recordTooLarge, .unknownRecord: EX_IOERR
        }
    }

    static func text(_ error: SpoolError) -> String {
        switch error {
        case .disk(let error):
            "the spool: \(error.operation.rawValue) \(error.name): "
                + String(cString: strerror(error.errno))
        case .locked(let path, let processID):
            "the spool in \(path) is in use by "
                + (processID.map { "process \($0)" } ?? "another process")
                + "; stop that one, or set SLUICE_DATA_DIR to another directory"
        case .unknownVersion(let segment, let version):
            "the spool has a file of another version of sluice (\(segment), format \(version)): "
                + "let that version bring it back first"
        case .recordTooLarge(let bytes, let bytesMax):
            "a record of \(bytes) bytes is more than the spool takes (\(bytesMax))"
        case .unknownRecord(let id):
            "the spool has no record \(id.segment):\(id.offset)"
        }
    }
}
