import Analysis
import Edge
import Ingestion
import Jobs
import Spooling

extension Settings {
    /// Settings that are each right and wrong together.
    static func contradictions(of configuration: ServiceConfiguration) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func require(_ holds: Bool, _ key: String, atLeast other: String) {
            if !holds {
                problems.append(ConfigurationProblem(key: key, rule: "must be at least \(other)"))
            }
        }
        let edge = configuration.edge
        require(
            edge.inFlightBytesMax >= edge.bodyBytesMax, "SLUICE_IN_FLIGHT_BYTES_MAX",
            atLeast: "SLUICE_BODY_BYTES_MAX")
        require(
            edge.lingerBytesMax >= edge.keptRestBytesMax, "SLUICE_LINGER_BYTES_MAX",
            atLeast: "SLUICE_KEPT_REST_BYTES_MAX")
        let spool = configuration.spool
        require(
            spool.bytesMax == 0 || spool.bytesMax >= 2 * spool.segmentBytesMax,
            "SLUICE_SPOOL_BYTES_MAX", atLeast: "twice SLUICE_SPOOL_SEGMENT_BYTES, or 0")
        require(
            configuration.ingestion.backoffMax >= configuration.ingestion.backoffMin,
            "SLUICE_BACKOFF_MAX", atLeast: "SLUICE_BACKOFF_MIN")
        problems += contradictions(of: configuration.retention)
        let jobs = configuration.jobs
        require(
            jobs.pauseMax >= jobs.pauseMin, "SLUICE_JOB_PAUSE_MAX", atLeast: "SLUICE_JOB_PAUSE_MIN")
        let analysis = configuration.analysis
        require(
            analysis.retryDelayMax >= analysis.retryDelay, "SLUICE_ANALYSIS_RETRY_DELAY_MAX",
            atLeast: "SLUICE_ANALYSIS_RETRY_DELAY")
        let applications = configuration.applications
        func require(_ holds: Bool, _ key: String, with other: String) {
            if !holds {
                problems.append(ConfigurationProblem(key: key, rule: "is needed with \(other)"))
            }
        }
        require(
            configuration.coordinatorURL == nil || configuration.databaseURL != nil,
            "DATABASE_URL", with: "SLUICE_COORDINATOR_URL")
        let (certificate, key) = (applications.certificatePath, applications.keyPath)
        require(certificate.isEmpty || !key.isEmpty, "SLUICE_TLS_KEY", with: "SLUICE_TLS_CERT")
        require(key.isEmpty || !certificate.isEmpty, "SLUICE_TLS_CERT", with: "SLUICE_TLS_KEY")
        require(
            configuration.analysis.analyser != .gemini || applications.modelKey != nil,
            "GEMINI_API_KEY", with: "SLUICE_ANALYSER=gemini")
        require(
            applications.mealParser != .gemini || applications.modelKey != nil,
            "GEMINI_API_KEY", with: "MEAL_PARSER=gemini")
        let isBucket = applications.mediaStore.hasPrefix("s3:")
        require(
            !isBucket || applications.bucketKeyID != nil, "AWS_ACCESS_KEY_ID",
            with: "MEDIA_STORE=s3:…")
        require(
            !isBucket || applications.bucketKey != nil, "AWS_SECRET_ACCESS_KEY",
            with: "MEDIA_STORE=s3:…")
        return problems
    }
}
