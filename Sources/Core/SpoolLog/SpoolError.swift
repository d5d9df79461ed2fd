import Glibc
public import OperatorErrors

/// Why an operation of a spool failed. Being full is not an error.
public enum SpoolError: Error, Equatable, Sendable {
    /// The disk refused an operation.
    case disk(DiskError)
    /// Another process has the directory; its id, if it left one.
    case locked(path: String, processID: Int32?)
    /// A segment has a record in a format of another version of the program.
    case unknownVersion(segment: String, version: Int)
    /// The record exceeds ``SpoolConfiguration/recordBytesMax``; nothing was kept.
    case recordTooLarge(bytes: Int, bytesMax: Int)
    /// The record is not durable, or was never appended.
    case unknownRecord(RecordID)
}

extension SpoolError: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .disk(let error):
            "the spool: \(error.operation.rawValue) \(error.name): "
                + String(cString: strerror(error.errno))
        case .locked(let path, let processID):
            "the spool in \(path) is in use by "
                + (processID.map { "process \($0)" } ?? "another process")
        case .unknownVersion(let segment, let version):
            "the spool has a file of another version of sluice (\(segment), format \(version))"
        case .recordTooLarge(let bytes, let bytesMax):
            "a record of \(bytes) bytes exceeds the spool's limit (\(bytesMax))"
        case .unknownRecord(let id):
            "the spool has no record \(id.segment):\(id.offset)"
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .locked: "stop that one, or set SLUICE_DATA_DIR to another directory"
        case .unknownVersion: "replay it with that version first"
        case .disk, .recordTooLarge, .unknownRecord: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .locked: EX_TEMPFAIL
        case .unknownVersion: EX_UNAVAILABLE
        case .disk, .recordTooLarge, .unknownRecord: EX_IOERR
        }
    }
}
