import HTTP
import Ingest
import ServiceLifecycle

/// All apps of one run of the server.
struct RunningApps: Sendable {
    private var apps: [any RunningApp] = []

    /// Opens all apps of the configuration, or none.
    init(_ surroundings: Surroundings) async throws(StartFailure) {
        for app in surroundings.configuration.apps {
            do throws(StartFailure) {
                apps.append(try await app.open(surroundings))
            } catch {
                await close()
                throw error
            }
        }
    }

    var services: [any Service] { apps.flatMap(\.services) }
    var lastServices: [any Service] { apps.flatMap(\.lastServices) }

    func routes(_ sink: any BatchSink) -> [RouteGroup] { apps.flatMap { $0.routes(sink) } }

    /// Lets every app notify sockets of `edge`.
    func attach(_ edge: HTTPListener) {
        for app in apps {
            app.attach { edge.notify(topic: $0, user: $1, text: $2) }
        }
    }

    func reload(_ configuration: ServiceConfiguration) {
        for app in apps { app.reload(configuration) }
    }

    func close() async {
        for app in apps.reversed() { await app.close() }
    }
}
