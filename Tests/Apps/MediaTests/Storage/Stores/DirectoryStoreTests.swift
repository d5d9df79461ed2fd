import Foundation
import Glibc
import Inspections
import Media
import NIOCore
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10)))
struct DirectoryStoreTests {
    let scratch = Scratch()
    let store: DirectoryStore

    init() throws { store = try DirectoryStore(path: scratch.path + "/media", threads: 4) }

    static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func `a file is under its digest, once, and nothing else is left`() async throws {
        let first = try await store.put(Array("abc".utf8), pieces: 1)
        #expect(first.name.text == Self.abc)
        #expect(first.bytes == 3)
        let second = try await store.put(Array("abc".utf8))
        #expect(second == first)
        #expect(scratch.files() == ["media/objects/ba/\(Self.abc.dropFirst(2))"])
        #expect(try await store.get(first.name) == Array("abc".utf8))
    }

    @Test(arguments: [0, 1, 63, 64, 65, 65_535, 65_536, 65_537, 1_000_000])
    func `any length is read back, whole and in ranges`(count: Int) async throws {
        var dice = Dice(seed: UInt64(count))
        let bytes = dice.bytes(count)
        for pieces in [1 << 20, 65_536, 40_961] {
            let stored = try await store.put(bytes, pieces: pieces)
            #expect(stored.bytes == count)
            #expect(try await store.get(stored.name) == bytes)
        }
        let name = try await store.put(bytes).name
        for _ in 0..<20 {
            let start = Int.random(in: 0...count, using: &dice)
            let end = Int.random(in: start...count, using: &dice)
            #expect(try await store.get(name, start..<end) == Array(bytes[start..<end]))
        }
    }

    @Test(arguments: [1, 100, 4095, 4096, 4097, 8191, 30_000])
    func `pieces that end anywhere in a page are read back in order`(pieces: Int) async throws {
        var dice = Dice(seed: UInt64(pieces))
        for count in [4095, 4096, 4097, 20_480, 20_481] {
            let bytes = dice.bytes(count)
            let stored = try await store.put(bytes, pieces: pieces)
            #expect(try await store.get(stored.name) == bytes)
        }
    }

    @Test func `the type is known after 64 bytes, or at the end`() async throws {
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 1, count: 60)
        let writer = try await store.begin()
        try await writer.write(Array(picture[..<63]).span.bytes)
        #expect(writer.type == nil)
        try await writer.write(Array(picture[63...]).span.bytes)
        #expect(writer.type == .jpeg)
        #expect(try await writer.finish().type == .jpeg)
        #expect(try await store.put(Array(picture[..<4])).type == .jpeg)
        #expect(try await store.put([]).type == nil)
    }

    @Test func `an aborted or forgotten upload leaves nothing`() async throws {
        let writer = try await store.begin()
        try await writer.write([UInt8](repeating: 1, count: 200_000).span.bytes)
        #expect(scratch.files().count == 1)
        await writer.abort()
        await writer.abort()
        #expect(scratch.files() == [])
        await #expect(throws: MediaStoreError.ended) {
            try await writer.write([UInt8(1)].span.bytes)
        }
        await #expect(throws: MediaStoreError.ended) { try await writer.finish() }
        do {
            let forgotten = try await store.begin()
            try await forgotten.write([UInt8](repeating: 1, count: 200_000).span.bytes)
        }
        #expect(scratch.files() == [])
    }

    @Test func `uploads given up while the disk still writes leave nothing`() async throws {
        let piece = [UInt8](repeating: 7, count: 40_000)
        for round in 0..<100 {
            let writer = try await store.begin()
            try await writer.write(piece.span.bytes)
            if round % 2 == 0 { await writer.abort() }
        }
        #expect(scratch.files() == [])
    }

    @Test(arguments: [1, 32_767, 32_768, 32_769, 65_536, 98_304, 3_000_000])
    func `content written in pieces of any size is read back`(bytes: Int) async throws {
        let content = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        for pieceBytes in [bytes, 10_007, 32_768] {
            let writer = try await store.begin()
            for start in stride(from: 0, to: bytes, by: pieceBytes) {
                let piece = Array(content[start..<min(start + pieceBytes, bytes)])
                try await writer.write(piece.span.bytes)
            }
            let stored = try await writer.finish()
            #expect(stored.bytes == bytes)
            #expect(try await store.get(stored.name) == content)
        }
        #expect(scratch.files().count == 1)
    }

    @Test func `a finished upload can't be finished again`() async throws {
        let writer = try await store.begin()
        let stored = try await writer.finish()
        await #expect(throws: MediaStoreError.ended) { try await writer.finish() }
        await writer.abort()
        #expect(try await store.get(stored.name) == [])
    }

    @Test func `an absent object is missing`() async throws {
        let name = try #require(ObjectName(Self.abc))
        await #expect(throws: MediaStoreError.missing(name)) { try await store.open(name) }
        #expect(try await !store.renew(name))
        #expect(try await !store.removeOld(name))
    }

    @Test func `a reader keeps its file when the object is removed`() async throws {
        let stored = try await store.put(Array("abc".utf8))
        let source = try await store.open(stored.name)
        scratch.age("media/objects/ba/\(Self.abc.dropFirst(2))", by: 30_000)
        #expect(try await store.removeOld(stored.name))
        #expect(scratch.files() == [])
        #expect(String(buffer: try await source.contents()) == "abc")
    }

    @Test(arguments: [
        "", "abc", "../../etc/passwd", "..", abc + "/..", abc.uppercased(), abc + "0", abc + "-",
        abc + "-0123456789abcde", abc + "-0123456789ABCDEF", abc + "-0123456789abcdef0",
        "/" + abc, abc.dropLast() + "g", abc.dropLast() + "é",
    ])
    func `nothing but a digest is an object's name`(text: String) {
        #expect(ObjectName(text) == nil)
    }

    @Test func `several processes can use a store, one after another too`() async throws {
        let other = try DirectoryStore(path: scratch.path + "/media", threads: 1)
        let stored = try await other.put([1, 2, 3])
        #expect(try await store.get(stored.name) == [1, 2, 3])
        await other.shutdown()
        await #expect(throws: MediaStoreError.ended) { try await other.begin() }
        let file = scratch.path + "/media/objects/" + stored.name.text.prefix(2)
        #expect(
            try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                == 0o700)
    }

    @Test func `a directory that can't be made is an error`() {
        #expect(throws: MediaStoreError.disk(operation: "mkdir", errno: ENOENT)) {
            try DirectoryStore(path: scratch.path + "/missing/media")
        }
    }
}
