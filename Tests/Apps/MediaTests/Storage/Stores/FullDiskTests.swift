import Foundation
import Glibc
import Media
import Testing

/// On a file system of 1 MiB, which only root may mount.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: getuid() == 0, "mounting needs root"))
struct FullDiskTests {
    private func withSmallDisk(
        _ body: (_ path: String, _ scratch: Scratch) async throws -> Void
    ) async throws {
        let scratch = Scratch()
        let disk = scratch.path + "/disk"
        mkdir(disk, 0o700)
        try #require(mount("tmpfs", disk, "tmpfs", 0, "size=1m") == 0)
        defer { umount2(disk, Int32(MNT_DETACH)) }
        try await body(disk, scratch)
    }

    @Test func `an upload that does not fit is refused and leaves nothing`() async throws {
        try await withSmallDisk { path, scratch in
            let store = try DirectoryStore(path: path + "/media", threads: 2)
            let kept = try await store.put([UInt8](repeating: 1, count: 100_000))
            await #expect(throws: MediaStoreError.full) {
                try await store.put([UInt8](repeating: 2, count: 2_000_000))
            }
            #expect(scratch.files(in: "disk").count == 1)
            // Space is free again at once.
            _ = try await store.put([UInt8](repeating: 3, count: 500_000))
            #expect(try await store.get(kept.name).count == 100_000)
            await store.shutdown()
        }
    }

    @Test func `a full disk can still be swept`() async throws {
        try await withSmallDisk { path, scratch in
            let store = try DirectoryStore(
                path: path + "/media", graceTime: .seconds(10), threads: 2)
            let old = try await store.put([UInt8](repeating: 1, count: 900_000)).name
            await #expect(throws: MediaStoreError.full) {
                try await store.put([UInt8](repeating: 2, count: 900_000))
            }
            scratch.age(
                "disk/media/objects/\(old.text.prefix(2))/\(old.text.dropFirst(2))", by: 100)
            #expect(try await store.removeOld(old))
            _ = try await store.put([UInt8](repeating: 2, count: 900_000))
            await store.shutdown()
        }
    }
}
