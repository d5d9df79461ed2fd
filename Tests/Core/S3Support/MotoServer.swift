import AsyncHTTPClient
import Encodings
import Foundation
package import Glibc
import NIOCore
import NIOHTTP1
package import S3
import Synchronization
import TestSupport

/// A program that speaks S3 (moto's server, from PyPI). It is started once for all tests of a
/// process, on a free port of the loopback interface, and ends with the process.
package final class MotoServer: Sendable {
    package static let shared = MotoServer()

    /// Why tests that need it can't run; nil when they can.
    package static let absence: String? = program == nil ? "moto_server is not installed" : nil

    /// The program that the project installs beside `Package.swift`, or the first in `PATH`.
    private static let program: String? = {
        let package = Project.directory.path()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (["\(package)/.build-python/bin"] + path.split(separator: ":").map(String.init))
            .map { "\($0)/moto_server" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    package let port: Int
    private let bucketCount = Atomic(0)

    /// - Parameter freeActions: how many requests are executed without a check of their signature;
    ///   nil: all of them.
    package init(freeActions: Int? = nil) {
        port = Self.freePort()
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment
        if let freeActions {
            process.environment?["INITIAL_NO_AUTH_ACTION_COUNT"] = String(freeActions)
        }
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The server must end with this process. A pipe does not work, because programs that tests
        // start later inherit its other end. SIGTERM does not work either, because the server
        // inherits it as blocked.
        process.arguments = [
            "-c",
            "\"$0\" -H 127.0.0.1 -p \(port) & server=$!; "
                + "while kill -0 \(getpid()); do sleep 0.2; done; kill -KILL $server",
            Self.program ?? "moto_server",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
        for _ in 0..<2400 where !Self.isListening(port) { usleep(50_000) }
    }

    package var endpoint: String { "http://127.0.0.1:\(port)" }

    /// Makes an empty bucket; `endpoint` is where the store looks for it.
    package func freshBucket(endpoint: String? = nil, prefix: String = "") async throws -> S3Bucket
    {
        let name = "bucket-\(bucketCount.add(1, ordering: .relaxed).newValue)"
        var request = HTTPClientRequest(url: "\(self.endpoint)/\(name)")
        request.method = .PUT
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        _ = try await response.body.collect(upTo: 1 << 20)
        precondition(response.status == .ok, "no bucket: \(response.status)")
        let text = "s3://\(name)/\(prefix)?endpoint=\(endpoint ?? self.endpoint)"
        guard case .bucket(let bucket) = try StoreLocation.parse(text) else { fatalError(text) }
        return bucket
    }

    /// Makes a user with all permissions.
    package func freshUser() async throws -> S3Credentials {
        let policy =
            #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}"#
        _ = try await act("Action=CreateUser&UserName=u")
        let key = try await act("Action=CreateAccessKey&UserName=u")
        _ = try await act(
            "Action=PutUserPolicy&UserName=u&PolicyName=p&PolicyDocument="
                + PercentEncoding.encoded(policy))
        guard let id = key.firstMatch(of: #/<AccessKeyId>(.+?)</#)?.1,
            let secret = key.firstMatch(of: #/<SecretAccessKey>(.+?)</#)?.1
        else {
            fatalError("no key")
        }
        return S3Credentials(accessKeyID: String(id), secretAccessKey: String(secret))
    }

    private func act(_ form: String) async throws -> String {
        var request = HTTPClientRequest(url: "\(endpoint)/")
        request.method = .POST
        request.headers = [
            "host": "iam.amazonaws.com", "content-type": "application/x-www-form-urlencoded",
            "authorization":
                "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/iam/aws4_request, "
                + "SignedHeaders=host, Signature=0",
        ]
        request.body = .bytes(ByteBuffer(string: form + "&Version=2010-05-08"))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        return String(buffer: try await response.body.collect(upTo: 1 << 20))
    }

    /// The bucket's contents as the server lists them, without a signature.
    package func page(_ path: String) async throws -> String {
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "\(endpoint)/\(path)"), timeout: .seconds(120))
        return String(buffer: try await response.body.collect(upTo: 1 << 20))
    }

    private static func freePort() -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
            bind(socket, pointer, length)
            getsockname(socket, pointer, &length)
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func isListening(_ port: Int) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = loopback(port: port)
        return withUnsafeBytes(of: &address) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!
            return connect(socket, pointer, socklen_t(bytes.count)) == 0
        }
    }

    package static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}
