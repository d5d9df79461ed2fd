import Glibc
import Inspections
import Processes
import Synchronization

/// One process that inspects a file, from start to end.
final class InspectionRun: Sendable {
    private enum State {
        case new
        case running(ChildProcess)
        /// It must not be killed any more: its process id may be reused.
        case over
        case stopped
    }

    private let state = Mutex(State.new)

    /// Kills it, or keeps it from starting. May be called at any time, on any thread.
    func stop() {
        state.withLock { state in
            if case .over = state { return }
            if case .running(let process) = state { process.kill() }
            state = .stopped
        }
    }

    /// Starts it and waits for its answer or its end. Blocks the thread. The thread must not end
    /// earlier, because the process is killed when the thread that started it ends.
    func run(
        _ program: String, _ order: InspectionOrder, on subject: InspectionSubject,
        spent: (Duration) -> Void
    ) throws(InspectionFailure) -> InspectionAnswer {
        let fileBytes = try subject.bytes
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .notStarted(errno: errno) }
        let (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(reading) }
        let process: ChildProcess?
        do throws(ChildProcess.Failure) {
            defer { close(writing) }
            process = try start(program, order, subject.descriptor, writing)
        } catch {
            throw .notStarted(errno: error.errno)
        }
        guard let process else { throw .stopped }
        let output = Self.read(
            reading, until: .now + .seconds(order.limits.secondsMax))
        let isStopped = state.withLock { state in
            defer { state = .over }
            if case .stopped = state { return true }
            return false
        }
        // Its answer is complete, or it has exceeded a limit.
        process.kill()
        let end: ChildProcess.End
        do throws(ChildProcess.Failure) {
            let usage = try process.waitMeasured()
            end = usage.end
            spent(usage.processorTime)
        } catch {
            throw .notStarted(errno: error.errno)
        }
        return try Self.answer(output, end, order, fileBytes, isStopped: isStopped)
    }

    private func start(
        _ program: String, _ order: InspectionOrder, _ input: Int32, _ output: Int32
    ) throws(ChildProcess.Failure) -> ChildProcess? {
        try state.withLock { state throws(ChildProcess.Failure) in
            guard case .new = state else { return nil }
            let process = try ChildProcess(
                program, words: [Inspections.program] + order.words, environment: Self.environment,
                input: input, output: output)
            state = .running(process)
            return process
        }
    }

    private static func answer(
        _ output: Result<[UInt8], Overrun>, _ end: ChildProcess.End, _ order: InspectionOrder,
        _ fileBytes: Int, isStopped: Bool
    ) throws(InspectionFailure) -> InspectionAnswer {
        switch output {
        case .success(let output):
            if let answer = InspectionAnswer(output, to: order.wish, fileBytes: fileBytes) {
                if case .fault(.unreadable) = answer { throw .unreadable }
                if case .fault(.tooManyPixels) = answer { throw .tooManyPixels }
                return answer
            }
        case .failure(.late): throw .overLimits(.late)
        case .failure(.loud): throw .overLimits(.loud)
        }
        if isStopped { throw .stopped }
        switch end {
        // 127: the program or its libraries are missing.
        case .exited(Inspections.unlimitedStatus), .exited(Inspections.misunderstoodStatus),
            .exited(127):
            throw .notStarted(errno: EPERM)
        case .exited(let status): throw .overLimits(.exited(status))
        case .signalled(let signal): throw .overLimits(.signalled(signal))
        }
    }

    /// Passes on the library path that some servers need, and no secrets.
    private static let environment: [String] = {
        let libraries = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=" + String(cString: $0) }
        return ["LC_ALL=C", "SWIFT_BACKTRACE=enable=no"] + [libraries].compactMap { $0 }
    }()

    private enum Overrun: Error { case late, loud }

    /// Reads until the end of the output.
    private static func read(
        _ descriptor: Int32, until deadline: ContinuousClock.Instant
    ) -> Result<[UInt8], Overrun> {
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let left = deadline - .now
            guard left > .zero else { return .failure(.late) }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(clamping: Int(left / .milliseconds(1)) + 1)) > 0 else {
                continue
            }
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count == 0 { return .success(output) }
            guard count > 0 else { continue }
            guard output.count + count <= InspectionAnswer.bytesMax else {
                return .failure(.loud)
            }
            output += piece[..<count]
        }
    }
}
