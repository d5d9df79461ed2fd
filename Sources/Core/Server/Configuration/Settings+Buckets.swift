public import S3

/// The keys of buckets.
extension Settings {
    static let buckets: [Setting] = [
        .secret(
            "SLUICE_AWS_ACCESS_KEY_ID", \.bucketKeyID, rule: "text",
            "Access key id for S3 buckets.", isValid: { !$0.isEmpty }
        ).formerly("AWS_ACCESS_KEY_ID"),
        .secret(
            "SLUICE_AWS_SECRET_ACCESS_KEY", \.bucketKey, rule: "text",
            "Secret access key for S3 buckets.", isValid: { !$0.isEmpty }
        ).formerly("AWS_SECRET_ACCESS_KEY"),
        .secret(
            "SLUICE_AWS_SESSION_TOKEN", \.bucketToken, rule: "text",
            "Session token for S3 buckets, if the keys expire.", isValid: { !$0.isEmpty }
        ).formerly("AWS_SESSION_TOKEN"),
    ]
}

extension ServiceConfiguration {
    /// The keys that sign requests to buckets; nil: none are set.
    public var bucketCredentials: S3Credentials? {
        guard let bucketKeyID, let bucketKey else { return nil }
        return S3Credentials(
            accessKeyID: bucketKeyID.revealed(), secretAccessKey: bucketKey.revealed(),
            sessionToken: bucketToken?.revealed())
    }

    /// The keys that a setting needs if it names a bucket.
    public func missingBucketKeys(of setting: String, isBucket: Bool) -> [ConfigurationProblem] {
        guard isBucket else { return [] }
        return [
            ("SLUICE_AWS_ACCESS_KEY_ID", bucketKeyID),
            ("SLUICE_AWS_SECRET_ACCESS_KEY", bucketKey),
        ].filter { $0.1 == nil }.map {
            ConfigurationProblem(key: $0.0, rule: "is needed with \(setting)=s3:…")
        }
    }
}
