/// Why a spool can't do what was asked. Being full is none of these.
public enum SpoolError: Error, Equatable, Sendable {
    /// The disk refused an operation.
    case disk(DiskError)
    /// Another process has the directory; its id, if it left one.
    case locked(path: String, processID: Int32?)
    /// A segment was written by a version of the program that is not this one.
    case unknownVersion(segment: String, version: Int)
    /// More than ``SpoolConfiguration/recordBytesMax``; nothing was kept.
    case recordTooLarge(bytes: Int, bytesMax: Int)
    /// No record stands there: it never did, or its segment is gone.
    case unknownRecord(RecordID)
}
