import Foundation
import Load
import Oracle
import Synchronization

/// Makes the same commits without Sluice. Each connection stores one group after another.
struct RawCaptures {
    /// How a group is stored.
    enum Way: CaseIterable {
        /// By Sluice's own statement.
        case statement
        /// By two INSERTs without checks: one for the captures, one for their jobs.
        case inserts
    }

    let database: String
    let connections: Int
    let group: Int
    let way: Way

    private var sql: String {
        switch way {
        case .statement:
            // The lanes call it like this for live captures.
            return """
                select place, result from sluice.store_captures(
                    $1, array_fill(now(), array[cardinality($1)]),
                    array_fill(false, array[cardinality($1)]))
                """
        case .inserts:
            return """
                with written as (
                    insert into sluice.capture (
                        capture_id, user_id, captured_at, photo_url, transcription, received_at)
                    select id, owner, t::timestamptz, photo, said, t::timestamptz
                    from unnest($1, $2, $3, $4, $5) c (id, owner, t, photo, said)
                ), enqueued as (
                    insert into sluice.job (kind, key, payload, due_at)
                    select 'capture.analyse', id, work, now() from unnest($1, $6) j (id, work)
                )
                select from unnest($1)
                """
        }
    }

    /// The texts of one capture, one for each parameter of the statement.
    private func texts(_ model: CaptureModel, _ socket: Int, _ number: Int) -> [String] {
        switch way {
        case .statement: return [model.payload(socket, number)]
        case .inserts:
            let (id, user) = (model.id(socket, number), model.user(socket))
            return [
                id, user, model.time(socket, number), model.photoURL(socket, number),
                model.transcription(socket, number),
                "{\"user\" : \"\(user)\", \"capture\" : \"\(id)\"}",
            ]
        }
    }

    /// The captures in the order in which they reach the server: the sockets take turns.
    private func columns(_ model: CaptureModel, sent: [Int]) -> [[String]] {
        var columns = [[String]](repeating: [], count: texts(model, 0, 0).count)
        for number in 0..<(sent.max() ?? 0) {
            for (socket, count) in sent.enumerated() where number < count {
                for (column, text) in texts(model, socket, number).enumerated() {
                    columns[column].append(text)
                }
            }
        }
        return columns
    }

    private struct Progress {
        var next = 0
        var failure: (any Error)?
    }

    /// Stores what the sockets sent, and waits for the last commit.
    ///
    /// - Returns: captures a second.
    func store(_ model: CaptureModel, sent: [Int]) throws -> Double {
        let columns = columns(model, sent: sent)
        let total = sent.reduce(0, +)
        let sessions = try (0..<connections).map { _ in try Session(url: database) }
        for session in sessions {
            try session.prepare("store", sql, arrays: columns.count)
        }
        let progress = Mutex(Progress())
        let threads = DispatchGroup()
        let start = monotonicNanoseconds()
        for session in sessions {
            let session = Handed(session)
            threads.enter()
            Thread.detachNewThread { [group] in
                defer { threads.leave() }
                while true {
                    let range = progress.withLock { state -> Range<Int>? in
                        guard state.failure == nil, state.next < total else { return nil }
                        defer { state.next += group }
                        return state.next..<min(state.next + group, total)
                    }
                    guard let range else { return }
                    do {
                        let rows = try session.value.run(
                            "store", columns.map { $0[range] })
                        precondition(rows == range.count, "BUG: rows=\(rows)")
                    } catch {
                        progress.withLock { $0.failure = error }
                    }
                }
            }
        }
        threads.wait()
        let seconds = Double(monotonicNanoseconds() - start) * 1e-9
        if let failure = progress.withLock({ $0.failure }) { throw failure }
        return Double(total) / seconds
    }

    /// Passes a session to the one thread that uses it.
    private struct Handed: @unchecked Sendable {
        // Guard of `@unchecked`: handed over once, before its thread starts.
        let value: Session
        init(_ value: Session) { self.value = value }
    }
}
