import Analysis
import Foundation
import Gemini
import HTTP
import Jobs
import Media
import S3
import Server
import Uploads

/// The settings of users' apps. The modules' own configurations are made from them.
struct ApplicationSettings: Sendable {
    /// The prefix of file URLs; blank: the address that the client called.
    var publicURL = ""
    /// Addresses of proxies that say how the client called, comma-separated.
    var trustedProxies = ""
    /// See ``S3/StoreLocation``; blank: `media` in the data directory.
    var mediaStore = ""
    /// The key of the model's service.
    var modelKey: Secret?
    /// What parses meals written in words.
    var mealParser = MealParserChoice.local
    /// Directory of word tables; blank: the built-in ones.
    var wordsDirectory = ""
    /// Hosts that photos may be fetched from, comma-separated.
    var photoHosts = ""
}

extension ServiceConfiguration {
    /// The settings of users' apps.
    var applications: ApplicationSettings {
        get { self[ApplicationSettings.self] ?? ApplicationSettings() }
        set { self[ApplicationSettings.self] = newValue }
    }

    /// Limits of uploads and downloads.
    var routes: RouteConfiguration {
        get { self[RouteConfiguration.self] ?? RouteConfiguration() }
        set { self[RouteConfiguration.self] = newValue }
    }

    /// Whether this process runs jobs, and how they are retried.
    var jobs: JobConfiguration {
        get { self[JobConfiguration.self] ?? JobConfiguration() }
        set { self[JobConfiguration.self] = newValue }
    }

    /// How captures are analysed.
    var analysis: AnalysisConfiguration {
        get { self[AnalysisConfiguration.self] ?? AnalysisConfiguration() }
        set { self[AnalysisConfiguration.self] = newValue }
    }

    /// The processes that read uploaded files, and what each user's files may take.
    var inspector: InspectorConfiguration {
        get { self[InspectorConfiguration.self] ?? InspectorConfiguration() }
        set { self[InspectorConfiguration.self] = newValue }
    }

    /// ``routes`` with the public URL.
    var fittingRoutes: RouteConfiguration {
        var routes = routes
        routes.publicURL = Self.text(applications.publicURL)
        routes.trustedProxies = TrustedProxies(applications.trustedProxies) ?? .none
        return routes
    }

    /// The store for uploaded files.
    func media(in directory: DataDirectory) -> MediaConfiguration {
        let text = applications.mediaStore
        let location =
            text.isEmpty
            ? StoreLocation.directory(path: directory.mediaPath) : try? StoreLocation.parse(text)
        guard let location else { preconditionFailure("BUG: a media store that was checked") }
        var media = MediaConfiguration(location: location)
        media.stagingDirectory = directory.stagingPath
        media.credentials = bucketCredentials
        return media
    }

    /// ``analysis`` with the public URL, the model's key and the photo hosts.
    var fittingAnalysis: AnalysisConfiguration {
        var analysis = analysis
        analysis.mediaBase = Self.text(applications.publicURL).map {
            ($0.hasSuffix("/") ? String($0.dropLast()) : $0) + "/media/"
        }
        analysis.gemini.key = applications.modelKey?.revealed() ?? ""
        analysis.photoHosts = ApplicationSettings.list(applications.photoHosts).compactMap(
            PhotoHost.init)
        return analysis
    }

    private static func text(_ text: String) -> String? { text.isEmpty ? nil : text }
}

extension ApplicationSettings {
    static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Settings that another setting needs, or that are below the one that they must reach.
    static func contradictions(of configuration: ServiceConfiguration) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func require(_ holds: Bool, _ key: String, _ rule: String) {
            if !holds { problems.append(ConfigurationProblem(key: key, rule: rule)) }
        }
        let (jobs, analysis) = (configuration.jobs, configuration.analysis)
        require(
            jobs.pauseMax >= jobs.pauseMin, "SLUICE_JOB_PAUSE_MAX",
            "must be at least SLUICE_JOB_PAUSE_MIN")
        require(
            analysis.retryDelayMax >= analysis.retryDelay, "SLUICE_ANALYSIS_RETRY_DELAY_MAX",
            "must be at least SLUICE_ANALYSIS_RETRY_DELAY")
        let applications = configuration.applications
        require(
            analysis.analyser != .gemini || applications.modelKey != nil, "SLUICE_GEMINI_API_KEY",
            "is needed with SLUICE_ANALYSER=gemini")
        require(
            applications.mealParser != .gemini || applications.modelKey != nil,
            "SLUICE_GEMINI_API_KEY",
            "is needed with SLUICE_MEAL_PARSER=gemini")
        return problems
            + configuration.missingBucketKeys(
                of: "SLUICE_MEDIA_STORE",
                isBucket: applications.mediaStore.lowercased().hasPrefix("s3:"))
    }
}
