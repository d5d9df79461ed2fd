import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and its answer, with an end.
///
/// On Linux, `URLSession` may wait for ever on a connection that broke while it was used again,
/// whatever `timeoutInterval` says. So the time is kept here, and the task is not waited for.
final class Exchange: @unchecked Sendable {
    // `@unchecked`: the lock guards all properties.

    enum Outcome: Sendable {
        case answer(status: Int, retryAfter: String?, body: Data)
        case none(reason: String)
    }

    private let lock = NSLock()
    private var continuation: CheckedContinuation<Outcome, Never>?
    private var task: URLSessionDataTask?
    private var outcome: Outcome?

    /// Returns when there is an answer or a failure, after `seconds`, or if the task is cancelled.
    static func run(
        _ request: URLRequest, on session: URLSession, seconds: Double
    ) async -> Outcome {
        let exchange = Exchange()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.begin(request, session, seconds, continuation)
            }
        } onCancel: {
            exchange.end(.none(reason: "cancelled"))
        }
    }

    private func begin(
        _ request: URLRequest, _ session: URLSession, _ seconds: Double,
        _ continuation: CheckedContinuation<Outcome, Never>
    ) {
        let task = session.dataTask(with: request) { [self] body, response, error in
            if let response = response as? HTTPURLResponse, error == nil {
                end(
                    .answer(
                        status: response.statusCode,
                        retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
                        body: body ?? Data()))
            } else {
                end(.none(reason: "no answer: \(error?.localizedDescription ?? "not HTTP")"))
            }
        }
        lock.lock()
        // It may have been cancelled already.
        let early = outcome
        if early == nil { (self.continuation, self.task) = (continuation, task) }
        lock.unlock()
        if let early { return continuation.resume(returning: early) }
        task.resume()
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
            end(.none(reason: "no answer in \(seconds) s"))
        }
    }

    /// The first outcome counts.
    private func end(_ outcome: Outcome) {
        lock.lock()
        let isFirst = self.outcome == nil
        if isFirst { self.outcome = outcome }
        let (continuation, task) = (self.continuation, self.task)
        if isFirst { (self.continuation, self.task) = (nil, nil) }
        lock.unlock()
        guard isFirst else { return }
        task?.cancel()
        continuation?.resume(returning: outcome)
    }
}
