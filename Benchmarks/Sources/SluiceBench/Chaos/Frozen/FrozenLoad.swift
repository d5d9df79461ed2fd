import Foundation
import Load
import Synchronization

/// One generator on a thread of its own, and its report.
final class FrozenLoad: Sendable {
    private let plan: LoadPlan
    private let workload: FrozenWorkload
    private let group = DispatchGroup()
    private let report = Mutex<LoadReport?>(nil)

    init(plan: LoadPlan, workload: FrozenWorkload) {
        self.plan = plan
        self.workload = workload
    }

    func start() {
        group.enter()
        Thread.detachNewThread { [self] in
            let done = LoadGenerator(plan: plan, workload: workload).run()
            report.withLock { $0 = done }
            group.leave()
        }
    }

    /// - Returns: the report; nil if the generator does not end in that time.
    func join(seconds: Double) -> LoadReport? {
        guard group.wait(timeout: .now() + seconds) == .success else { return nil }
        return report.withLock { $0 }
    }
}
