import Foundation
import Inspections
@testable import Media
import NIOCore
import Synchronization
import Testing
import TestSupport

/// Files that are made to be expensive, beside ordinary users' pictures.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct HostileFilesTests {
    /// Thumbnails of JPEG files run for ever; other files are processed normally.
    private static let slowJPEG = """
        case "$*" in *jpeg*thumbnail*) exec sleep 100000;; esac
        \(ScriptedProgram.real)
        """

    private final class Count: Sendable {
        private let number = Atomic(0)
        var now: Int { number.load(ordering: .relaxed) }
        func add() { number.wrappingAdd(1, ordering: .relaxed) }
    }

    @Test func `one user's endless pictures delay nobody else's`() async throws {
        let inspector = try Inspector.forTests(ScriptedProgram(Self.slowJPEG)) {
            $0.thumbnailLimits.secondsMax = 100_000
            $0.thumbnailsWaitingPerUserMax = 8
        }
        let journal = try Journal(inspector: inspector)
        var endless: [JournalFile] = []
        for number in 0..<12 {
            // Each has different content.
            let picture = try HostilePicture.jpeg(width: 300 + number, height: 20)
            endless.append(try await journal.upload(picture, user: "mallory"))
        }
        let refused = Count()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for file in endless {
                group.addTask {
                    guard case .busy = try await journal.thumbnail(file, 64) else {
                        throw CancellationError()
                    }
                    refused.add()
                }
            }
            // One runs, eight wait, three are refused.
            #expect(
                try await eventually { refused.now == 3 && inspector.thumbnails.runsCount == 1 })
            for user in ["ann", "bob", "ann"] {
                let file = try await journal.upload(Corpus.bytes("clear.png"), user: user)
                guard case .made(let media) = try await journal.thumbnail(file, 64) else {
                    throw CancellationError()
                }
                #expect(media.file.bytes > 0)
            }
            // All of them end when the server stops, whatever the pictures do.
            #expect(refused.now == 3)
            inspector.stopThumbnails()
            try await group.waitForAll()
        }
        #expect(refused.now == 12)
        await inspector.shutdown()
    }

    @Test func `thousands of scans end at the limit`() async throws {
        let journal = try Journal(
            inspector: .forTests { $0.thumbnailLimits.processorSecondsMax = 2 })
        let scans = try HostilePicture.scans(4000)
        #expect(scans.count < 1 << 20)
        let file = try await journal.upload(scans)
        #expect(file.width == HostilePicture.side && file.height == HostilePicture.side)
        for width in [64, 2048] {
            guard case .overLimits = try await journal.thumbnail(file, width) else {
                throw CancellationError()
            }
        }
    }

    @Test func `a large picture within the limits gets a small thumbnail`() async throws {
        let journal = try Journal()
        let bytes = try HostilePicture.bomb()
        let file = try await journal.upload(bytes)
        guard case .made(let media) = try await journal.thumbnail(file, 64) else {
            throw CancellationError()
        }
        #expect(media.file.bytes < 10_000)
    }

    @Test(arguments: [false, true])
    func `an ordinary picture of 50 million pixels has a thumbnail`(
        isProgressive: Bool
    ) async throws {
        let journal = try Journal()
        let picture = try HostilePicture.jpeg(
            width: 7071, height: 7071, isProgressive: isProgressive)
        let file = try await journal.upload(picture)
        let outcome = try await journal.thumbnail(file, 512)
        guard case .made(let media) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(media.file.contentType == "image/jpeg")
    }

    @Test func `a truncated picture is shown as far as it goes, or not at all`() async throws {
        let journal = try Journal()
        let whole = try HostilePicture.jpeg(width: 600, height: 400)
        for count in [whole.count / 2, whole.count - 10] {
            let file = try await journal.upload(Array(whole[..<count]))
            guard case .made = try await journal.thumbnail(file, 64) else {
                throw CancellationError()
            }
        }
        // The header has no size, so no thumbnail can be made.
        let head = try await journal.upload(Array(whole[..<64]))
        guard case .unreadable = try await journal.thumbnail(head, 64) else {
            throw CancellationError()
        }
    }
}
