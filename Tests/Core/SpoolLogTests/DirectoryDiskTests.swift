import Foundation
import SpoolLog
import Testing

@Suite struct DirectoryDiskTests {
    /// A temporary directory that is removed with its contents at the end.
    final class Directory {
        let path: String

        init() throws {
            var template = Array("/tmp/sluice-spool-XXXXXX".utf8CString)
            path = try #require(mkdtemp(&template).map { String(cString: $0) })
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func disk() throws -> DirectoryDisk { try DirectoryDisk(path: path + "/spool") }
    }

    static var configuration: SpoolConfiguration {
        var configuration = SpoolConfiguration()
        configuration.segmentBytesMax = 1 << 20
        configuration.recordBytesMax = 1 << 19
        configuration.bytesMax = 4 << 20
        configuration.freeBytesMin = 0
        return configuration
    }

    @Test func `records outlive the spool in a real directory and empty segments are recycled`()
        throws
    {
        let directory = try Directory()
        let payloads = (0..<60).map { LimitTests.noise(50_000, seed: $0) }
        do {
            let spool = try Spool(try directory.disk(), configuration: Self.configuration)
            for payload in payloads {
                #expect(try spool.append(payload, units: 100, time: 5) != .full)
                try spool.sync()
            }
            spool.close()
        }
        let disk = try directory.disk()
        let spool = try Spool(disk, configuration: Self.configuration)
        #expect(spool.recovery.records == 60)
        #expect(spool.recovery.units == 6000)
        #expect(spool.recovery.bytesCut == 0)
        #expect(try spool.all().map(\.payload) == payloads)
        #expect(
            try SpoolVerification.verify(DirectoryDisk(readingFrom: directory.path + "/spool"))
                .reduce(0) { $0 + $1.records } == 60)
        try spool.releaseAll()
        #expect(
            try disk.names().sorted() == [
                "spare-0000000000000001.lz4", "spare-0000000000000002.lz4",
            ])
        #expect(spool.figures.bytesOnDisk == 2 << 20)
    }

    @Test func `a found segment counts with the bytes that it holds`() throws {
        let directory = try Directory()
        for _ in 0..<3 {
            let spool = try Spool(try directory.disk(), configuration: Self.configuration)
            try spool.append([1, 2, 3])
            try spool.sync()
            spool.close()
        }
        let spool = try Spool(try directory.disk(), configuration: Self.configuration)
        #expect(spool.figures.bytesOnDisk == 3 * 4096)
        var status = stat()
        for number in 1...3 {
            stat(directory.path + "/spool/000000000000000\(number).lz4", &status)
            #expect(status.st_size == 4096 && status.st_blocks * 512 <= 8192)
        }
        #expect(try spool.all().map(\.payload) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    }

    @Test func `a full directory says so and keeps all it took`() throws {
        let directory = try Directory()
        let spool = try Spool(try directory.disk(), configuration: Self.configuration)
        var count = 0
        while count < 1000, try spool.append(LimitTests.noise(100_000, seed: 1)) != .full {
            count += 1
        }
        try spool.sync()
        #expect(count == 40)
        #expect(try spool.all().count == 40)
    }

    @Test func `space that others need is not taken`() throws {
        let directory = try Directory()
        var configuration = Self.configuration
        configuration.freeBytesMin = .max >> 1
        let spool = try Spool(try directory.disk(), configuration: configuration)
        #expect(try spool.append([1]) == .full)
    }

    @Test func `a second owner is refused and told of the first`() throws {
        let directory = try Directory()
        var disk: DirectoryDisk? = try directory.disk()
        let names = try disk?.names()
        #expect(names == [])
        #expect(
            throws: SpoolError.locked(path: directory.path + "/spool", processID: getpid())
        ) { _ = try directory.disk() }
        // Readers need no lock.
        _ = try DirectoryDisk(readingFrom: directory.path + "/spool")
        disk = nil
        _ = try directory.disk()
    }

    @Test func `the directory is for its owner alone`() throws {
        let directory = try Directory()
        _ = try directory.disk()
        var status = stat()
        stat(directory.path + "/spool", &status)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    /// What may be done from outside to the directory of a spool in use.
    enum Removal: CaseIterable, Sendable {
        case directoryRemoved, directoryMoved, directoryReplaced, fileRemoved, fileReplaced

        var isOfDirectory: Bool { self != .fileRemoved && self != .fileReplaced }

        func happen(to directory: Directory, _ names: [String]) {
            let spool = directory.path + "/spool"
            switch self {
            case .directoryRemoved, .directoryReplaced:
                for name in names + ["spool.lock"] { #expect(unlink(spool + "/" + name) == 0) }
                #expect(rmdir(spool) == 0)
                if self == .directoryReplaced { #expect(mkdir(spool, 0o700) == 0) }
            case .directoryMoved: #expect(rename(spool, directory.path + "/moved") == 0)
            case .fileRemoved:
                for name in names { #expect(unlink(spool + "/" + name) == 0) }
            case .fileReplaced:
                for name in names {
                    #expect(rename(spool + "/" + name, spool + "/mine") == 0)
                    let file = open(spool + "/" + name, O_CREAT | O_WRONLY, 0o600)
                    #expect(file >= 0)
                    close(file)
                }
            }
        }
    }

    @Test(arguments: Removal.allCases)
    func `nothing is promised where the next process would not find it`(
        _ removal: Removal
    ) throws {
        let directory = try Directory()
        defer { _ = rename(directory.path + "/moved", directory.path + "/spool") }
        let disk = try directory.disk()
        let spool = try Spool(disk, configuration: Self.configuration)
        for number in 0..<3 as Range<UInt8> {
            try spool.append([number])
            try spool.sync()
        }
        removal.happen(to: directory, try disk.names())
        #expect(throws: SpoolError.self) {
            try spool.append([3])
            try spool.sync()
        }
        for _ in 0..<3 where removal.isOfDirectory {
            #expect(throws: DiskError.self) { try spool.check() }
            #expect(throws: SpoolError.self) {
                try spool.append([3])
                try spool.sync()
            }
        }
        // Earlier records can be read as long as the file is open.
        #expect(try spool.all().map(\.payload) == [[0], [1], [2]])
        if !removal.isOfDirectory {
            try spool.check()
            try spool.append([4])
            try spool.sync()
            #expect(try spool.all().map(\.payload) == [[0], [1], [2], [4]])
        }
        try spool.releaseAll()
        #expect(spool.figures.records == 0)
    }

    @Test func `a directory that is moved back is good again`() throws {
        let directory = try Directory()
        let spool = try Spool(try directory.disk(), configuration: Self.configuration)
        try spool.append([0])
        try spool.sync()
        let path = directory.path + "/spool"
        #expect(rename(path, directory.path + "/moved") == 0)
        #expect(throws: DiskError(.find, ".", errno: ENOENT)) { try spool.check() }
        #expect(mkdir(path, 0o700) == 0)
        #expect(throws: DiskError(.find, ".", errno: ESTALE)) { try spool.check() }
        #expect(rmdir(path) == 0)
        #expect(rename(directory.path + "/moved", path) == 0)
        try spool.check()
        try spool.append([1])
        try spool.sync()
        #expect(try spool.all().map(\.payload) == [[0], [1]])
    }

    @Test func `errors of the file system come with operation, name and number`() throws {
        let directory = try Directory()
        let disk = try directory.disk()
        #expect(throws: DiskError(.open, "none", errno: ENOENT)) { _ = try disk.open("none") }
        #expect(throws: DiskError(.remove, "none", errno: ENOENT)) { try disk.remove("none") }
        #expect(throws: DiskError(.rename, "none", errno: ENOENT)) {
            try disk.rename("none", to: "other")
        }
        let file = try disk.create("one", bytes: 8192)
        #expect(try file.byteCount() == 8192)
        #expect(throws: DiskError(.create, "one", errno: EEXIST)) {
            _ = try disk.create("one", bytes: 1)
        }
        _ = try disk.create("two", bytes: 1)
        #expect(throws: DiskError(.rename, "two", errno: EEXIST)) {
            try disk.rename("one", to: "two")
        }
        #expect(throws: SpoolError.self) {
            _ = try DirectoryDisk(path: directory.path + "/missing/spool")
        }
    }
}
