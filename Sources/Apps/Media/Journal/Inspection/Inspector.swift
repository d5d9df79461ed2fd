import Foundation
public import Inspections
public import Logging
import Synchronization

/// Inspects untrusted files in separate processes, a few at a time.
///
/// A process runs `sluice-inspect` (target `Inspecting`) with the file as its standard input. It
/// gets no other file, and of the environment only the library path. Its memory, processor time and
/// elapsed time are limited; it is killed at its deadline.
///
/// **Full.** Requests, running and waiting, are limited in all, for each user and for each origin;
/// further ones are refused. One user's processes always leave a place for another's, and so do
/// those of all users of one address (``InspectionTurns``). Processes that run at once share the
/// cores evenly, behind the server's own threads. So with two cores a small file is inspected
/// within a few times its own processor time, whatever one address sends; as many addresses as
/// there are places can still occupy all. Uploads don't wait for thumbnails, nor for the pictures
/// of captures. The processor time that a user's files take is counted (``InspectionBudget``);
/// beyond it that user's requests are refused.
///
/// **Stopping.** Call ``stopThumbnails()`` first, so that the stop does not wait for thumbnails.
/// Uploads in progress still need their facts; ``shutdown()`` ends those, by killing processes.
///
/// One per process.
public final class Inspector: Sendable {
    let configuration: InspectorConfiguration
    /// A turn holds more than a process: its holder also stores the thumbnail.
    let thumbnails: InspectionLane
    private let reports: InspectionLane
    /// Reports for jobs, for which no client waits.
    private let pictures: InspectionLane
    private let budget: InspectionBudget
    private let program: String
    private let logger: Logger
    private let faults: Mutex<InspectionFaults>

    /// Starts no process.
    ///
    /// - Parameter program: the path of `sluice-inspect`.
    public init(
        program: String = Inspector.installedProgram,
        _ configuration: InspectorConfiguration = InspectorConfiguration(), logger: Logger
    ) {
        self.program = program
        self.configuration = configuration
        self.logger = logger
        budget = InspectionBudget(secondsPerHour: configuration.secondsPerHour)
        reports = InspectionLane(
            InspectionTurns(
                atOnceMax: configuration.reportsAtOnceMax,
                waitingMax: configuration.reportsWaitingMax,
                waitingPerUserMax: configuration.reportsWaitingPerUserMax))
        pictures = InspectionLane(
            InspectionTurns(
                atOnceMax: configuration.picturesAtOnceMax,
                waitingMax: configuration.reportsWaitingMax,
                waitingPerUserMax: configuration.reportsWaitingPerUserMax))
        thumbnails = InspectionLane(
            InspectionTurns(
                atOnceMax: configuration.thumbnailsAtOnceMax,
                waitingMax: configuration.thumbnailsWaitingMax,
                waitingPerUserMax: configuration.thumbnailsWaitingPerUserMax))
        faults = Mutex(
            InspectionFaults(countMax: configuration.faultsMax, age: configuration.faultAge))
    }

    /// The path of `sluice-inspect` beside this program, or else where packages put it; where it is
    /// in neither place, the first.
    public static let installedProgram: String = {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = own.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let places = [beside, "/usr/lib/sluice"].map { $0 + "/" + Inspections.program }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) } ?? places[0]
    }()

    /// Whether there is a program at ``installedProgram``.
    public static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: installedProgram)
    }

    /// Logs it if the program, a package of its own, is not there: no file can be inspected then.
    public func logUnlessInstalled() {
        guard !FileManager.default.isExecutableFile(atPath: program) else { return }
        logger.notice(
            "sluice-inspect is not installed, so the journal stores no files",
            metadata: ["path": "\(program)"])
    }

    /// - Returns: nil if the client has processor time left; otherwise the time until then.
    public func wait(of client: InspectionClient) -> Duration? {
        budget.wait(of: client, now: .now)
    }

    /// Inspects a picture in memory, for a job.
    ///
    /// - Parameter user: whose turn is used.
    /// - Throws: ``InspectionFailure/stopped`` and ``InspectionFailure/notStarted(errno:)``.
    public func picture(
        _ bytes: [UInt8], user: String
    ) async throws(InspectionFailure) -> Result<PictureReading, PictureReading.Unreadable> {
        guard let type = MediaType(content: bytes), type.kind == .image else {
            return .failure(.unknownFormat)
        }
        var reading = PictureReading(type: type, bytes: bytes.count)
        do throws(InspectionFailure) {
            let report = try await report(
                on: InspectionSubject(bytes), type, erasesLocation: false,
                of: InspectionClient(user: user), in: pictures)
            reading.facts = report.image ?? ImageFacts()
        } catch {
            guard error.isOfTheFile else { throw error }
            // The library may lack some formats, so an unreadable rare format is not damage.
            let isCommon = [.jpeg, .png, .webp].contains(type)
            if isCommon || error != .unreadable { return .failure(.damaged(type)) }
        }
        return .success(reading)
    }

    /// The type of a complete upload that is to be sound. The first bytes of MP4, QuickTime and
    /// 3GPP don't say whether they hold pictures.
    ///
    /// - Parameters:
    ///   - type: detected from the first bytes.
    ///   - client: whose turn is used.
    /// - Returns: nil when it holds pictures.
    public func soundType(
        of writer: any MediaWriter, _ type: MediaType, of client: InspectionClient
    ) async throws(JournalFailure) -> MediaType? {
        guard [.mp4, .mov, .threeGP].contains(type) else { return type }
        let subject = try await InspectionSubject.upload(writer)
        do throws(InspectionFailure) {
            let report = try await report(
                on: subject.get(), type, erasesLocation: false, of: client)
            guard let film = report.film else { return type }
            if film.hasPicture { return nil }
            return type == .mp4 && film.hasSound ? .m4a : type
        } catch {
            guard error.isOfTheFile else { throw .inspection(error) }
            return type
        }
    }

    /// Stops making thumbnails. Does not wait.
    public func stopThumbnails() { thumbnails.stop() }

    /// Kills running processes and waits for their callers. Inspects nothing afterwards. Once.
    public func shutdown() async {
        reports.stop()
        pictures.stop()
        await thumbnails.shutdown()
        await pictures.shutdown()
        await reports.shutdown()
    }

    /// Inspects a file. With `erasesLocation` the report says what must change in it so that it
    /// names no place.
    func report(
        on subject: InspectionSubject, _ type: MediaType, erasesLocation: Bool,
        of client: InspectionClient, in lane: InspectionLane? = nil
    ) async throws(InspectionFailure) -> FileReport {
        let lane = lane ?? reports
        let order = InspectionOrder(
            wish: .report(erasesLocation: erasesLocation), type: type,
            limits: configuration.reportLimits)
        let outcome = await lane.turn(of: client) {
            await Self.result { () throws(InspectionFailure) in
                try await run(order, on: subject, of: client, in: lane)
            }
        }
        guard let outcome else { throw lane.isStopped ? .stopped : .busy }
        guard case .report(let report) = try outcome.get() else {
            preconditionFailure("BUG: an answer to another wish")
        }
        return report
    }

    /// Call it within a turn of ``thumbnails``.
    func thumbnail(
        of media: StoredMedia, _ type: MediaType, for client: InspectionClient, width: Int,
        pixelsMax: Int
    ) async throws -> EncodedImage {
        let digest = media.file.object.digest
        if let failure = failure(of: digest) { throw failure }
        let order = InspectionOrder(
            wish: .thumbnail(width: width, pixelsMax: pixelsMax), type: type,
            limits: configuration.thumbnailLimits)
        let subject = try await InspectionSubject(media.source)
        do throws(InspectionFailure) {
            let answer = try await run(order, on: subject, of: client, in: thumbnails)
            guard case .thumbnail(let image) = answer else {
                preconditionFailure("BUG: an answer to another wish")
            }
            return image
        } catch {
            faults.withLock { $0.note(error, of: digest, at: .now) }
            throw error
        }
    }

    /// Why a content can't have a thumbnail, if known.
    func failure(of digest: MediaDigest) -> InspectionFailure? {
        faults.withLock { $0.failure(of: digest, at: .now) }
    }

    private func run(
        _ order: InspectionOrder, on subject: InspectionSubject, of client: InspectionClient,
        in lane: InspectionLane
    ) async throws(InspectionFailure) -> InspectionAnswer {
        // Asked again in the turn: many requests may have begun while there was time left.
        if let time = budget.wait(of: client, now: .now) {
            throw .budgetUsedUp(retryAfter: time)
        }
        do throws(InspectionFailure) {
            return try await lane.run(program, order, on: subject) { [budget] time in
                budget.spend(time, of: client, now: .now)
            }
        } catch {
            switch error {
            case .unreadable, .tooManyPixels, .stopped, .busy, .budgetUsedUp: break
            case .overLimits(let end):
                logger.notice(
                    "a file could not be read within its limits",
                    metadata: ["type": "\(order.type.rawValue)", "end": "\(end)"])
            case .notStarted(ENOENT):
                // An operator may have left it out; the client is told.
                logger.warning(
                    "a file can't be read: the package sluice-inspect is not installed",
                    metadata: ["path": "\(program)"])
            case .notStarted(let errno):
                logger.error(
                    "sluice-inspect can't be started",
                    metadata: ["path": "\(program)", "errno": "\(errno)"])
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
