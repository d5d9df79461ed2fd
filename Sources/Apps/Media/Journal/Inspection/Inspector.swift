import Glibc
public import Logging
import Synchronization

/// Inspects untrusted files in separate processes, a few at a time.
///
/// A process runs this same program as `sluice inspect` (``Inspection``) with the file as its
/// standard input. It gets no other file, and of the environment only the library path. Its memory,
/// processor time and elapsed time are limited; it is killed at its deadline. A start costs about
/// 50 ms.
///
/// **Full.** Requests for facts wait. Thumbnail requests, running and waiting, are limited in all
/// and for each user; further ones are refused.
///
/// **Stopping.** Call ``stopThumbnails()`` first, so that the stop does not wait for thumbnails.
/// Uploads in progress still need their facts; ``shutdown()`` ends those, by killing processes.
///
/// One per process.
public final class Inspector: Sendable {
    let configuration: InspectorConfiguration
    /// A turn holds more than a process: its holder also stores the thumbnail.
    let thumbnails: InspectionLane
    private let facts: InspectionLane
    private let program: String
    private let logger: Logger
    private let faults: Mutex<InspectionFaults>

    /// Starts no process.
    ///
    /// - Parameter program: `sluice`; by default this program, even if its file was replaced.
    public init(
        program: String = "/proc/self/exe",
        _ configuration: InspectorConfiguration = InspectorConfiguration(), logger: Logger
    ) {
        self.program = program
        self.configuration = configuration
        self.logger = logger
        facts = InspectionLane(
            InspectionTurns(
                // The number of requests is the limit.
                atOnceMax: configuration.factsAtOnceMax, waitingMax: .max, waitingPerUserMax: .max))
        thumbnails = InspectionLane(
            InspectionTurns(
                atOnceMax: configuration.thumbnailsAtOnceMax,
                waitingMax: configuration.thumbnailsWaitingMax,
                waitingPerUserMax: configuration.thumbnailsWaitingPerUserMax))
        faults = Mutex(
            InspectionFaults(countMax: configuration.faultsMax, age: configuration.faultAge))
    }

    /// Inspects a picture in memory.
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
            reading.facts = try await image(InspectionSubject(bytes), type, user: user)
        } catch {
            guard error.isOfTheFile else { throw error }
            // The library may lack some formats, so an unreadable rare format is not damage.
            let isCommon = [.jpeg, .png, .webp].contains(type)
            if isCommon || error != .unreadable { return .failure(.damaged(type)) }
        }
        return .success(reading)
    }

    /// Stops making thumbnails. Does not wait.
    public func stopThumbnails() { thumbnails.stop() }

    /// Kills running processes and waits for their callers. Inspects nothing afterwards. Once.
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

    /// Call it within a turn of ``thumbnails``.
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

    /// Why a content can't have a thumbnail, if known.
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

/// How many processes inspect files, and what each may use.
public struct InspectorConfiguration: Sendable {
    /// Processes at once that read headers and metadata. Default 4.
    public var factsAtOnceMax = 4
    /// Processes at once that make thumbnails. Default 2. One user may have one fewer, but at least
    /// one, so that one user's processes leave room for another's.
    public var thumbnailsAtOnceMax = 2
    /// Requests that may wait for a thumbnail. Default 256.
    public var thumbnailsWaitingMax = 256
    /// Waiting requests of one user. Default 32.
    public var thumbnailsWaitingPerUserMax = 32
    /// Limits of a process that reads headers and metadata: 256 MiB, 5 s of processor time, 30 s.
    public var factsLimits = InspectionLimits(
        memoryBytesMax: 256 << 20, processorSecondsMax: 5, secondsMax: 30)
    /// Limits of a process that makes a thumbnail: 768 MiB, 10 s of processor time, 60 s. A
    /// progressive JPEG of 50 million pixels takes 500 MiB.
    public var thumbnailLimits = InspectionLimits(
        memoryBytesMax: 768 << 20, processorSecondsMax: 10, secondsMax: 60)
    /// Contents that have failed and are not tried again for ``faultAge``. Default 4096.
    public var faultsMax = 4096
    /// Default one hour: a process may also have timed out because the machine was busy.
    public var faultAge: Duration = .seconds(3600)

    /// The defaults.
    public init() {}
}

/// What a process that inspects one file may use.
public struct InspectionLimits: Codable, Sendable, Equatable {
    /// Memory in bytes, beyond the file and the memory mapped at the start.
    public var memoryBytesMax: Int
    /// Processor time, in seconds.
    public var processorSecondsMax: Int
    /// Elapsed time, in seconds.
    public var secondsMax: Int

    /// Takes all three limits.
    public init(memoryBytesMax: Int, processorSecondsMax: Int, secondsMax: Int) {
        self.memoryBytesMax = memoryBytesMax
        self.processorSecondsMax = processorSecondsMax
        self.secondsMax = secondsMax
    }

    /// Sets the limits of this process for good. It can then open no file, write to none, and start
    /// no process or thread. It ends with its parent, and the kernel kills it first when memory
    /// runs out.
    ///
    /// - Returns: false when a limit can't be set.
    func impose(fileBytes: Int) -> Bool {
        guard let ownBytes = Self.ownBytes else { return false }
        // Failures of these are ignored: a sandbox may refuse them, and they only improve matters.
        Self.goFirst()
        _ = nice(10)
        Self.control(1, UInt(SIGKILL))  // PR_SET_PDEATHSIG
        Self.control(4, 0)  // PR_SET_DUMPABLE
        Self.control(38, 1)  // PR_SET_NO_NEW_PRIVS
        "sluice-inspect".withCString { Self.control(15, UInt(bitPattern: $0)) }  // PR_SET_NAME
        alarm(UInt32(clamping: secondsMax))
        return Self.limit(RLIMIT_AS, ownBytes + fileBytes + memoryBytesMax)
            && Self.limit(RLIMIT_CPU, processorSecondsMax, grace: 1) && Self.limit(RLIMIT_CORE, 0)
            && Self.limit(RLIMIT_FSIZE, 0) && Self.limit(__RLIMIT_NPROC, 0)
            && Self.limit(RLIMIT_NOFILE, 0)
    }

    /// - Parameter grace: how far the hard limit lies above the soft one.
    private static func limit(
        _ resource: __rlimit_resource, _ value: Int, grace: Int = 0
    ) -> Bool {
        let resource = __rlimit_resource_t(resource.rawValue)
        var present = rlimit()
        guard getrlimit(resource, &present) == 0 else { return false }
        var wanted = rlimit(
            rlim_cur: min(rlim_t(clamping: value), present.rlim_max),
            rlim_max: min(rlim_t(clamping: value + grace), present.rlim_max))
        return setrlimit(resource, &wanted) == 0
    }

    /// The bytes that are mapped already.
    private static var ownBytes: Int? {
        guard let statistics = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(statistics) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), statistics) != nil else { return nil }
        let pages = strtol(line, nil, 10)
        return pages > 0 ? pages * sysconf(Int32(_SC_PAGESIZE)) : nil
    }

    private static func goFirst() {
        guard let score = fopen("/proc/self/oom_score_adj", "we") else { return }
        fputs("1000", score)
        fclose(score)
    }

    private static func control(_ option: Int32, _ value: UInt) {
        _ = prctl?(option, value, 0, 0, 0)
    }

    /// `prctl(2)`: Swift can't import it, because it is variadic.
    private static let prctl = dlsym(nil, "prctl").map { unsafeBitCast($0, to: Control.self) }
    private typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
}
