import ArgumentParser
import Foundation
import SluiceService

struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask the server on this machine for its health.",
        discussion: """
            For the health checks of containers. It reads the same configuration as the
            server, to find its port. Exit code 0: it takes batches; 69: it answers and
            takes none, or does not answer.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Ask this URL instead, such as http://127.0.0.1:8080/health.")
    var url: String?

    @Option(help: "Seconds to wait for the answer.")
    var timeout = 3.0

    func validate() throws {
        guard timeout > 0, timeout <= 3600 else {
            throw ValidationError("--timeout takes seconds, up to 3600")
        }
    }

    func run() async throws {
        let probe: HealthProbe
        do throws(StartFailure) {
            probe = HealthProbe(try options.read(), url: url, within: .seconds(timeout))
        } catch {
            Complaint(error).end()
        }
        switch await probe.ask() {
        case .healthy:
            print("ok")
        case .unavailable(let status):
            Complaint("\(probe.url): it takes no batches (\(status))", code: EX_UNAVAILABLE).end()
        case .silent:
            Complaint("\(probe.url): nobody answers", code: EX_UNAVAILABLE).end()
        }
    }
}
