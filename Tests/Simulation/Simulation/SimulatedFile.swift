import SpoolLog
import SpoolLogSupport

/// A file of a ``SimulatedDisk``.
final class SimulatedFile: DiskFile {
    private let disk: SimulatedDisk
    let file: ModelFile
    private let name: String

    init(_ disk: SimulatedDisk, _ file: ModelFile, _ name: String) {
        self.disk = disk
        self.file = file
        self.name = name
    }

    func byteCount() throws(DiskError) -> Int {
        try disk.call(.byteCount, name) { () throws(DiskError) in try file.byteCount() }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        try disk.call(.write, name) { () throws(DiskError) in
            try file.write(bytes, at: offset)
        }
    }

    func read(
        into bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        try disk.call(.read, name) { () throws(DiskError) in
            try file.read(into: bytes, at: offset)
        }
    }

    func sync() throws(DiskError) {
        if disk.syncsNothing { return }
        try disk.call(.sync, name) { () throws(DiskError) in try file.sync() }
    }

    func truncate(to bytes: Int) throws(DiskError) {
        try disk.call(.truncate, name) { () throws(DiskError) in try file.truncate(to: bytes) }
    }

    func close() { file.close() }
}
