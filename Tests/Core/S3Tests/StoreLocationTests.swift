import S3
import Testing

struct StoreLocationTests {
    @Test(arguments: [
        ("file:/var/lib/sluice/media", "/var/lib/sluice/media"), ("file:///media", "/media"),
        ("file:/with space/ä", "/with space/ä"), ("File:/Media", "/Media"),
    ])
    func `a directory's path is absolute`(text: String, path: String) throws {
        #expect(try StoreLocation.parse(text) == .directory(path: path))
    }

    @Test(arguments: [
        ("s3://bucket", "", "https", "s3.us-east-1.amazonaws.com", "us-east-1"),
        ("S3://bucket", "", "https", "s3.us-east-1.amazonaws.com", "us-east-1"),
        ("s3://bucket/", "", "https", "s3.us-east-1.amazonaws.com", "us-east-1"),
        (
            "s3://bucket/a/b?region=eu-west-1", "a/b/", "https", "s3.eu-west-1.amazonaws.com",
            "eu-west-1"
        ),
        ("s3://bucket?endpoint=http://127.0.0.1:5000", "", "http", "127.0.0.1:5000", "us-east-1"),
        ("s3://bucket?endpoint=http://[::1]:80/", "", "http", "[::1]", "us-east-1"),
        (
            "s3://bucket/p?endpoint=https%3A%2F%2FStorage.googleapis.com:443&region=auto", "p/",
            "https", "storage.googleapis.com", "auto"
        ),
    ])
    func `a bucket is given with its server`(
        text: String, prefix: String, scheme: String, host: String, region: String
    ) throws {
        guard case .bucket(let bucket) = try StoreLocation.parse(text) else {
            Issue.record("no bucket")
            return
        }
        #expect(bucket.name == "bucket" && bucket.prefix == prefix && bucket.scheme == scheme)
        #expect(bucket.host == host && bucket.region == region)
        #expect(try StoreLocation.parse(bucket.location) == .bucket(bucket))
    }

    @Test(arguments: [
        ("", StoreLocationError.schemeUnknown), ("/var/lib", .schemeUnknown),
        ("http://x", .schemeUnknown), ("file:relative", .pathNotAbsolute),
        ("file:", .pathNotAbsolute), ("file://host/path", .pathNotAbsolute),
        ("s3://", .bucketInvalid), ("s3://ab", .bucketInvalid), ("s3://Upper", .bucketInvalid),
        ("s3://a..b", .bucketInvalid), ("s3://user:secret@bucket", .bucketInvalid),
        ("s3://bucket/../x", .prefixInvalid), ("s3://bucket/a b", .prefixInvalid),
        ("s3://bucket?endpoint=ftp://x", .endpointInvalid),
        ("s3://bucket?endpoint=http://", .endpointInvalid),
        ("s3://bucket?endpoint=http://a/b", .endpointInvalid),
        ("s3://bucket?endpoint=http://u:p@a", .endpointInvalid),
        ("s3://bucket?endpoint=127.0.0.1:9000", .endpointInvalid),
        ("s3://bucket?region=", .parameterUnknown), ("s3://bucket?region=EU", .regionInvalid),
        ("s3://bucket?key=x", .parameterUnknown),
        ("s3://bucket?region=a&region=b", .parameterUnknown),
    ])
    func `a fault is reported`(text: String, expected: StoreLocationError) {
        #expect(throws: expected) { try StoreLocation.parse(text) }
    }

    @Test func `credentials are never shown`() {
        let credentials = S3Credentials(accessKeyID: "AKID", secretAccessKey: "s3cr3t")
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("s3cr3t") && !text.contains("AKID"))
        }
    }
}
