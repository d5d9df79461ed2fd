import Dispatch
import Foundation
import Server
import Status

/// `sluice top` on a terminal: one loop over all events.
struct TopSession {
    private enum Happening: Sendable {
        case watch(StatusWatch.Event)
        /// No more events will arrive.
        case watchEnded
        case key(UInt8)
        case resized
        case stopAsked
        case pauseAsked
        /// A second has passed.
        case tick
    }

    private let watch: StatusWatch
    private let interval: Duration
    private let environment: [String: String]

    init(_ watch: StatusWatch, interval: Duration, _ environment: [String: String]) {
        self.watch = watch
        self.interval = interval
        self.environment = environment
    }

    /// Runs until the user quits.
    func run() async {
        let (happenings, send) = AsyncStream.makeStream(of: Happening.self)
        var terminal = TopTerminal(environment)
        terminal.take()
        let sources = sources { send.yield($0) }
        let following = Task { [watch] in
            for await event in watch.events() { send.yield(.watch(event)) }
            send.yield(.watchEnded)
        }
        var model = TopModel(url: watch.url, interval: interval)
        loop: for await happening in happenings {
            switch happening {
            case .watch(let event): model.happened(event, now: .now)
            case .watchEnded, .stopAsked: break loop
            case .key(let key):
                if [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3].contains(key) { break loop }
            case .pauseAsked: pause(&terminal)
            case .resized, .tick: break
            }
            let state = model.state(now: .now)
            terminal.draw { columns, rows in TopView(state, columns: columns).lines(rows: rows) }
        }
        terminal.giveBack()
        for source in sources { source.cancel() }
        following.cancel()
        _ = await following.value
        if let loss = model.finalLoss { ExitError(loss, at: watch.url).end() }
    }

    /// Ctrl-Z: restores the terminal for the shell, and enters it again when the job continues.
    private func pause(_ terminal: inout TopTerminal) {
        terminal.giveBack()
        // Unlike SIGTSTP it can't be blocked in this thread. Sent to this thread, it takes effect
        // before the terminal is entered again; sent to the process, it might take effect later.
        raise(SIGSTOP)
        terminal.take()
    }

    private func sources(
        _ send: @escaping @Sendable (Happening) -> Void
    ) -> [any DispatchSourceProtocol] {
        let queue = DispatchQueue(label: "sluice.top")
        var sources: [any DispatchSourceProtocol] = []
        let signals: [(Int32, Happening)] = [
            (SIGINT, .stopAsked), (SIGTERM, .stopAsked), (SIGHUP, .stopAsked),
            (SIGWINCH, .resized), (SIGTSTP, .pauseAsked),
        ]
        for (number, happening) in signals {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { send(happening) }
            sources.append(source)
        }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.setEventHandler { send(.tick) }
        sources.append(timer)
        let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        keys.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            // At its end the input would stay readable for ever.
            if count <= 0 { keys.cancel() }
            for byte in bytes.prefix(max(0, count)) { send(.key(byte)) }
        }
        sources.append(keys)
        for source in sources { source.resume() }
        return sources
    }
}
