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

    @Option(help: "Seconds to wait for the answer.")
    var timeout = 3.0

    func validate() throws {
        guard timeout > 0, timeout <= 3600 else {
            throw ValidationError("--timeout must be more than 0 and at most 3600 seconds")
        }
        guard url.map(HTTPAddress.isOne) != false else {
            throw ValidationError("--url must be a URL such as http://127.0.0.1:8080/health")
        }
    }

    func run() async throws {
        let probe: HealthProbe
        do throws(StartFailure) {
            probe = HealthProbe(try options.read(), url: url, within: .seconds(timeout))
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
