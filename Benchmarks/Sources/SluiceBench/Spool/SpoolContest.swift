import Foundation
import Glibc
import Load
import SpoolLog

/// The sides of the spool's ratios. All sides use the same payloads.
final class SpoolContest {
    /// Seconds that each side took.
    struct Round {
        var raw = 0.0
        var compression = 0.0
        /// Compressed, written and synced on one thread.
        var spool = 0.0
    }

    private let load: SpoolLoad
    private let path: String
    /// Compressed bytes that are synced together, record headers included.
    private let compressedBytes: [Int]
    private let compress:
        @convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer?, CInt, CInt)
            -> CInt
    private let scratch: UnsafeMutableRawBufferPointer

    private static let recordHeaderBytes = 76

    struct Missing: Error { let what: String }

    /// How many times smaller LZ4 makes the load.
    var ratio: Double { Double(load.bytes) / Double(compressedBytes.reduce(0, +)) }

    init(_ load: SpoolLoad, directory: String) throws {
        self.load = load
        path = directory + "/sluice-bench-spool-\(getpid())"
        // The LZ4 library that the spool uses, called without the spool.
        guard let symbol = dlsym(nil, "LZ4_compress_default") else {
            throw Missing(what: "LZ4_compress_default")
        }
        compress = unsafeBitCast(
            symbol,
            to: (@convention(c) (UnsafeRawPointer?, UnsafeMutableRawPointer?, CInt, CInt) -> CInt)
                .self)
        scratch = .allocate(byteCount: 4 * SpoolLoad.recordBytes, alignment: 4096)
        scratch.initializeMemory(as: UInt8.self, repeating: 0xA5)
        let compressed = load.records.map { [compress, scratch] record in
            Self.recordHeaderBytes
                + record.withUnsafeBytes {
                    Int(
                        compress(
                            $0.baseAddress, scratch.baseAddress, CInt($0.count),
                            CInt(scratch.count)))
                }
        }
        compressedBytes = stride(from: 0, to: compressed.count, by: SpoolLoad.recordsPerSync)
            .map { compressed[$0..<$0 + SpoolLoad.recordsPerSync].reduce(0, +) }
        clear()
    }

    deinit { scratch.deallocate() }

    func clear() { try? FileManager.default.removeItem(atPath: path) }

    /// Runs each side once; every second round in reverse order.
    func round(_ number: Int) throws -> Round {
        var round = Round()
        let sides: [() throws -> Void] = [
            { round.raw = try self.raw() },
            { round.spool = try self.spool() },
            { round.compression = self.compression() },
        ]
        for side in number % 2 == 0 ? sides : sides.reversed() { try side() }
        return round
    }

    /// Checks that the spool returns what was appended. Otherwise no ratio means anything.
    func checkContents() throws {
        _ = try spool()
        let again = try Spool(DirectoryDisk(path: path), configuration: configuration)
        var id: RecordID?
        for payload in load.records {
            guard let record = try again.next(after: id), record.payload == payload else {
                throw Missing(what: "a record as it was appended")
            }
            id = record.id
        }
        guard try again.next(after: id) == nil else { throw Missing(what: "the end") }
    }

    private var configuration: SpoolConfiguration {
        var configuration = SpoolConfiguration()
        configuration.freeBytesMin = 0
        return configuration
    }

    private func open() throws -> Spool<DirectoryDisk> {
        clear()
        // Writes out the data of earlier sides, so that this side does not pay for it.
        Glibc.sync()
        return try Spool(DirectoryDisk(path: path), configuration: configuration)
    }

    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = monotonicNanoseconds()
        try body()
        return Double(monotonicNanoseconds() - start) * 1e-9
    }

    private func kept(_ outcome: AppendOutcome) {
        precondition(outcome != .full, "BUG: the spool is full")
    }

    private func fill(_ spool: Spool<DirectoryDisk>) throws {
        for (number, record) in load.records.enumerated() {
            kept(try record.withUnsafeBytes { try spool.append($0, units: 1, time: 0) })
            if (number + 1) % SpoolLoad.recordsPerSync == 0 { try spool.sync() }
        }
    }

    private func spool() throws -> Double {
        let spool = try open()
        defer { spool.close() }
        return try seconds { try fill(spool) }
    }

    private func compression() -> Double {
        seconds {
            for payload in load.records {
                let count = payload.withUnsafeBytes {
                    compress(
                        $0.baseAddress, scratch.baseAddress, CInt($0.count), CInt(scratch.count))
                }
                precondition(count > 0, "BUG: count=\(count)")
            }
        }
    }

    /// Writes into files of a segment's size, which are preallocated and whose names are synced
    /// beforehand.
    private func raw() throws -> Double {
        clear()
        let disk = try DirectoryDisk(path: path)
        let fileBytes = configuration.segmentBytesMax
        let files = try (0...compressedBytes.reduce(0, +) / fileBytes + 1).map {
            try disk.create("raw-\($0)", bytes: fileBytes)
        }
        try disk.syncNames()
        Glibc.sync()
        defer { for file in files { file.close() } }
        return try seconds {
            var file = 0
            var offset = 0
            for bytes in compressedBytes {
                if offset + bytes > fileBytes {
                    file += 1
                    offset = 0
                }
                try files[file].write(
                    UnsafeRawBufferPointer(rebasing: scratch[..<bytes]), at: offset)
                try files[file].sync()
                offset += bytes
            }
        }
    }
}
