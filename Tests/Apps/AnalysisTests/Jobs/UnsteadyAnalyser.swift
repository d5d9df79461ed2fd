import Synchronization

@testable import Analysis

/// A model that fails as often as the test says, and otherwise answers as the local analyser.
final class UnsteadyAnalyser: Analyser {
    private let failures: Mutex<[AnalyserFailure]>
    private let calls = Mutex(0)

    var name: String { "unsteady" }
    var callCount: Int { calls.withLock { $0 } }

    /// - Parameter failures: the failures of the next calls, in order.
    init(_ failures: [AnalyserFailure] = []) { self.failures = Mutex(failures) }

    func fail(_ next: [AnalyserFailure]) { failures.withLock { $0 += next } }

    func analyse(_ input: AnalysisInput) async throws(AnalyserFailure) -> CaptureAnalysis {
        calls.withLock { $0 += 1 }
        let failure = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure { throw failure }
        return LocalAnalyser().found(input)
    }
}
