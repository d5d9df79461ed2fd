public import Logging
import MediaStorage
import Synchronization

/// Has files of strangers looked into by processes of their own, a few at a time.
///
/// A process is this program's own, started as `sluice inspect` (``Inspection``) with the file as its
/// standard input. It has no other file, nothing of the environment, and limits of memory, processor
/// and time; past its time it is killed. A start costs about 50 ms.
///
/// **Full.** Who wants facts waits. A user's share of the thumbnails is bounded, running and waiting;
/// more are refused.
///
/// **Stopping.** ``stopThumbnails()`` first: a request for one is not waited for. Uploads under way
/// still need their facts: those stop with ``shutdown()``, which kills what runs.
///
/// One for the process.
public final class Inspector: Sendable {
    let configuration: InspectorConfiguration
    /// Their turns hold more than a process: who has one stores the thumbnail, too.
    let thumbnails: InspectionLane
    private let facts: InspectionLane
    private let program: String
    private let logger: Logger
    private let faults: Mutex<InspectionFaults>

    /// Starts nothing yet.
    ///
    /// - Parameter program: `sluice`; by default what this process runs, also if its file was replaced.
    public init(
        program: String = "/proc/self/exe",
        _ configuration: InspectorConfiguration = InspectorConfiguration(), logger: Logger
    ) {
        self.program = program
        self.configuration = configuration
        self.logger = logger
        facts = InspectionLane(
            InspectionTurns(
                // As many as there are requests.
                atOnceMax: configuration.factsAtOnceMax, waitingMax: .max, waitingPerUserMax: .max))
        thumbnails = InspectionLane(
            InspectionTurns(
                atOnceMax: configuration.thumbnailsAtOnceMax,
                waitingMax: configuration.thumbnailsWaitingMax,
                waitingPerUserMax: configuration.thumbnailsWaitingPerUserMax))
        faults = Mutex(
            InspectionFaults(countMax: configuration.faultsMax, age: configuration.faultAge))
    }

    /// A picture in memory.
    ///
    /// - Parameter user: whose turn it is.
    /// - Throws: ``InspectionFailure/stopped`` and ``InspectionFailure/notStarted(errno:)``.
    public func picture(
        _ bytes: [UInt8], user: String
    ) async throws(InspectionFailure) -> Result<PictureReading, PictureReading.Unreadable> {
        guard let type = MediaType(content: bytes), type.kind == .image else {
            return .failure(.unknownFormat)
        }
        var reading = PictureReading(type: type, bytes: bytes.count)
        do throws(InspectionFailure) {
            reading.facts = try await image(InspectionSubject(bytes), type, user: user)
        } catch {
            guard error.isOfTheFile else { throw error }
            // The library can be built without some formats; a file of those is no damaged one.
            let isCommon = [.jpeg, .png, .webp].contains(type)
            if isCommon || error != .unreadable { return .failure(.damaged(type)) }
        }
        return .success(reading)
    }

    /// Lets no thumbnail be made any more. Does not wait.
    public func stopThumbnails() { thumbnails.stop() }

    /// Kills what runs, and waits for those who waited for it. Nothing is looked into any more. Once.
    public func shutdown() async {
        facts.stop()
        await thumbnails.shutdown()
        await facts.shutdown()
    }

    func image(
        _ subject: InspectionSubject, _ type: MediaType, user: String
    ) async throws(InspectionFailure) -> ImageFacts {
        guard case .image(let image) = try await fact(.image, subject, type, user) else {
            preconditionFailure("BUG: an answer to another wish")
        }
        return image
    }

    func film(
        _ subject: InspectionSubject, _ type: MediaType, user: String
    ) async throws(InspectionFailure) -> MediaFacts {
        guard case .film(let film) = try await fact(.film, subject, type, user) else {
            preconditionFailure("BUG: an answer to another wish")
        }
        return film
    }

    /// To be called in a turn of ``thumbnails``.
    func thumbnail(
        of media: StoredMedia, _ type: MediaType, width: Int, pixelsMax: Int
    ) async throws -> ThumbnailImage.Encoded {
        let digest = media.file.object.digest
        if let failure = failure(of: digest) { throw failure }
        let order = InspectionOrder(
            wish: .thumbnail(width: width, pixelsMax: pixelsMax), type: type,
            limits: configuration.thumbnailLimits)
        let subject = try await InspectionSubject(media.source)
        do throws(InspectionFailure) {
            let answer = try await run(order, on: subject, in: thumbnails)
            guard case .thumbnail(let image) = answer else {
                preconditionFailure("BUG: an answer to another wish")
            }
            return image
        } catch {
            faults.withLock { $0.note(error, of: digest, at: .now) }
            throw error
        }
    }

    /// Why there is no thumbnail of a content, if that is known.
    func failure(of digest: MediaDigest) -> InspectionFailure? {
        faults.withLock { $0.failure(of: digest, at: .now) }
    }

    private func fact(
        _ wish: InspectionOrder.Wish, _ subject: InspectionSubject, _ type: MediaType,
        _ user: String
    ) async throws(InspectionFailure) -> InspectionAnswer {
        let order = InspectionOrder(wish: wish, type: type, limits: configuration.factsLimits)
        let outcome = await facts.turn(of: user) {
            await Self.result { () throws(InspectionFailure) in
                try await run(order, on: subject, in: facts)
            }
        }
        return try (outcome ?? .failure(.stopped)).get()
    }

    private func run(
        _ order: InspectionOrder, on subject: InspectionSubject, in lane: InspectionLane
    ) async throws(InspectionFailure) -> InspectionAnswer {
        do throws(InspectionFailure) {
            return try await lane.run(program, order, on: subject)
        } catch {
            switch error {
            case .unreadable, .tooManyPixels, .stopped: break
            case .overLimits(let end):
                logger.notice(
                    "a file could not be read within its limits",
                    metadata: ["type": "\(order.type.rawValue)", "end": "\(end)"])
            case .notStarted(let errno):
                logger.error(
                    "the process that reads files can't be started",
                    metadata: ["errno": "\(errno)"])
            }
            throw error
        }
    }

    private static func result<Value>(
        _ body: () async throws(InspectionFailure) -> Value
    ) async -> Result<Value, InspectionFailure> {
        do throws(InspectionFailure) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
