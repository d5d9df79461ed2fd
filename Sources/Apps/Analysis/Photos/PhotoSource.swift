import AsyncHTTPClient
import Encodings
import Foundation
import Gemini
import NIOCore
import NIOHTTP1

/// Reads a photo: from this server's media store, or from a host on an allow-list.
///
/// A `photoURL` comes from a client, so it must not make the server send any other request:
/// - A URL of this server (see ``AnalysisConfiguration/mediaBase``) is read from the store, never
///   by HTTP.
/// - Another host gets a request only if ``AnalysisConfiguration/photoHosts`` has it with its port.
///   The request uses https unless the entry says otherwise, and has no headers or credentials of
///   this server.
/// - The host's name is looked up once. All its addresses must be public, unless
///   ``AnalysisConfiguration/allowsPrivatePhotoHosts`` is set. The connection goes to one of these
///   addresses, so a second look-up can't change it.
/// - Up to three redirects are followed, only to the same scheme, host and port.
public struct PhotoSource: Sendable {
    /// Returns a file of the media store by its path below `/media/`; nil when there is none or the
    /// user may not see it.
    public typealias MediaReader =
        @Sendable (_ path: String, _ user: String) async throws -> [UInt8]?

    private static let redirectsMax = 3

    private let configuration: AnalysisConfiguration
    private let media: MediaReader

    /// Opens no connection yet.
    public init(_ configuration: AnalysisConfiguration, media: @escaping MediaReader) {
        self.configuration = configuration
        self.media = media
    }

    /// The photo's bytes, at most ``AnalysisConfiguration/photoBytesMax``.
    ///
    /// - Parameter user: the owner of the capture that names the photo.
    public func bytes(of url: String, user: String) async throws(PhotoFailure) -> [UInt8] {
        if let path = mediaPath(url) { return try await stored(path, user) }
        do {
            return try await withTimeLimit(configuration.photoTimeout) { try await fetched(url) }
        } catch let error as PhotoFailure {
            throw error
        } catch is TimeLimitExceeded {
            throw .timedOut
        } catch is NIOTooManyBytesError {
            throw .tooLarge(bytesMax: configuration.photoBytesMax)
        } catch {
            throw .unreachable
        }
    }

    // MARK: Our own store

    /// The decoded path after the media base; nil for any other URL.
    private func mediaPath(_ url: String) -> String? {
        let base: Substring
        if let configured = configuration.mediaBase {
            base = url.prefix(configured.count)
            guard base == configured else { return nil }
        } else {
            guard let found = url.firstRange(of: Self.anyBase) else { return nil }
            base = url[..<found.upperBound]
            guard !isAllowedHost(url) else { return nil }
        }
        let rest = url[base.endIndex...].prefix { $0 != "?" && $0 != "#" }
        return PercentEncoding.decodedText(rest) ?? ""
    }

    private static var anyBase: Regex<Substring> { /^https?:\/\/[^\/?#]+\/media\// }

    private func isAllowedHost(_ url: String) -> Bool {
        let scheme = url.prefix { $0 != "/" } == "http:" ? "http://" : ""
        let authority = url.split(separator: "/", maxSplits: 2)[1].prefix { $0 != "/" }
        return PhotoHost(scheme + authority).map(configuration.photoHosts.contains) ?? false
    }

    private func stored(_ path: String, _ user: String) async throws(PhotoFailure) -> [UInt8] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
        guard isPlain, !path.utf8.contains(0) else { throw .urlInvalid }
        let bytes: [UInt8]?
        do {
            bytes = try await media(path, user)
        } catch {
            throw .storeFailed
        }
        guard let bytes else { throw .missing }
        guard bytes.count <= configuration.photoBytesMax else {
            throw .tooLarge(bytesMax: configuration.photoBytesMax)
        }
        return bytes
    }

    // MARK: Other hosts

    private func fetched(_ url: String) async throws -> [UInt8] {
        guard let first = URL(string: url), let host = Self.target(first) else {
            throw PhotoFailure.urlInvalid
        }
        guard configuration.photoHosts.contains(host) else { throw PhotoFailure.hostNotAllowed }
        let addresses = await HostAddress.look(up: host.host)
        guard let address = addresses.first else { throw PhotoFailure.unreachable }
        let isAllowed =
            configuration.allowsPrivatePhotoHosts || addresses.allSatisfy(\.isPublic)
        guard isAllowed else { throw PhotoFailure.addressRefused }
        var settings = HTTPClient.Configuration()
        settings.redirectConfiguration = .disallow
        settings.dnsOverride = [host.host: address.text]
        settings.timeout.connect = .seconds(5)
        settings.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
        let outcome: Result<[UInt8], any Error>
        do {
            outcome = .success(try await follow(first, host, client))
        } catch {
            outcome = .failure(error)
        }
        try? await client.shutdown()
        return try outcome.get()
    }

    private func follow(_ first: URL, _ host: PhotoHost, _ client: HTTPClient) async throws
        -> [UInt8]
    {
        var url = first
        for _ in 0...Self.redirectsMax {
            let request = HTTPClientRequest(url: url.absoluteString)
            // `bytes(of:user:)` sets one time limit for all requests.
            let response = try await client.execute(request, deadline: .distantFuture)
            if (300...399).contains(response.status.code),
                let location = response.headers.first(name: "location")
            {
                guard let next = URL(string: location, relativeTo: url)?.absoluteURL,
                    Self.target(next) == host
                else { throw PhotoFailure.hostNotAllowed }
                url = next
                continue
            }
            guard response.status == .ok else {
                throw PhotoFailure.status(Int(response.status.code))
            }
            if let length = response.headers.first(name: "content-length").flatMap({ Int($0) }),
                length > configuration.photoBytesMax
            {
                throw PhotoFailure.tooLarge(bytesMax: configuration.photoBytesMax)
            }
            let body = try await response.body.collect(upTo: configuration.photoBytesMax)
            return Array(body.readableBytesView)
        }
        throw PhotoFailure.status(310)
    }

    /// The scheme, host and port as an entry of the allow-list; nil for a URL that can't match one,
    /// such as a URL with a user name or password.
    private static func target(_ url: URL) -> PhotoHost? {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, url.user == nil, url.password == nil
        else { return nil }
        return PhotoHost("\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? ""))
    }
}
