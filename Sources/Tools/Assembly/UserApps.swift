import Captures
import Doctor
import Ingest
import Jobs
import Meals
import Media
import S3
import Server
import Uploads

/// Memory captures, meal logs and the journal, as the server takes them.
struct UserApps: App {
    var sections: [Settings.Section] { ApplicationSettings.sections }

    var unitKinds: [UnitKind] {
        [Capture.unitKind] + NewMeal.kinds + [JournalRecord.unitKind]
    }

    var places: [ClientPlaces] {
        [
            ClientPlaces(
                "SLUICE_UPLOADS_MAX", \.routes.uploadsMax, countMin: 4, files: 2, bytes: 300 << 10),
            ClientPlaces(nil, \.routes.downloadsMax, countMin: 8, files: 1),
        ]
    }

    func guide(sockets: String) -> [(name: String, what: String)] {
        [
            ("captures", "POST /upload/{id} and \(sockets)/ws/ios/{user}"),
            ("meals", "POST /api/v1/meal-logs/natural and \(sockets)/ws/meal-logs"),
            ("journal", "POST /api/users/user/{user}/moods/swift and similar routes"),
        ]
    }

    func publicURL(_ configuration: ServiceConfiguration) -> String? {
        configuration.fittingRoutes.publicURL
    }

    func contradictions(of configuration: ServiceConfiguration) -> [ConfigurationProblem] {
        ApplicationSettings.contradictions(of: configuration)
    }

    func databaseConnectionsMax(_ configuration: ServiceConfiguration) -> Int {
        let jobs = configuration.jobs.concurrency
        // Notices; one runner for captures and one for meals, each with a listening connection.
        return 1 + (jobs > 0 ? 2 * (jobs + 1) : 0)
    }

    func stopMax(_ configuration: ServiceConfiguration) -> Duration { configuration.jobs.stopMax }

    func prepare(_ configuration: ServiceConfiguration) throws(StartFailure) {
        try Vocabulary.use(configuration)
    }

    func open(_ surroundings: Surroundings) async throws(StartFailure) -> any RunningApp {
        try await Applications(surroundings)
    }

    func examine(_ machine: inout MachineFacts) {
        machine.inspector = (Inspector.installedProgram, Inspector.isInstalled)
    }

    func disks(_ configuration: ServiceConfiguration) -> [DiskFacts] {
        let directory = DataDirectory(configuration.dataDirectory)
        guard case .directory(let path) = configuration.media(in: directory).location else {
            return []
        }
        return [.gather(.media, path: path)]
    }

    func userFiles(_ configuration: ServiceConfiguration) -> (any UserFiles)? {
        StoredUserFiles(configuration)
    }
}
