import ArgumentParser
import Foundation
import Server

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the health of the server on this machine.",
        discussion: """
            For the health checks of containers. Reads the server's configuration to find its
            port. Exit codes: 0 the server takes batches, 69 it takes none or does not answer.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Ask this URL instead, such as http://127.0.0.1:8080/health.")
    var url: String?

    @Option(help: "How long to wait for the answer: 500ms, 3s; at most 1h.")
    var timeout = "3s"

    private var patience: Duration? {
        Settings.duration(timeout).flatMap { $0 > .zero && $0 <= .seconds(3600) ? $0 : nil }
    }

    func validate() throws {
        guard patience != nil else {
            throw ValidationError("--timeout must be a time such as 500ms or 3s, at most 1h")
        }
        guard url.map(HTTPAddress.isOne) != false else {
            throw ValidationError("--url must be a URL such as http://127.0.0.1:8080/health")
        }
    }

    func run() async throws {
        let probe: HealthProbe
        do throws(StartFailure) {
            probe = HealthProbe(try options.read(), url: url, within: patience ?? .seconds(3))
        } catch {
            ExitError(error).end()
        }
        switch await probe.ask() {
        case .healthy:
            print("ok")
        case .unavailable(let status):
            ExitError("\(probe.url): the server takes no batches (\(status))", code: EX_UNAVAILABLE)
                .end()
        case .silent:
            ExitError("\(probe.url): nobody answers", code: EX_UNAVAILABLE).end()
        }
    }
}
