import AsyncHTTPClient
import Encodings
import Foundation
import Gemini
import NIOCore
import NIOHTTP1

/// Gets a photo's bytes: from our own media store, or from a host that an allow-list names.
///
/// A `photoURL` is what a client sent, so it must not make the server ask for anything else:
/// - one of our own, see ``AnalysisConfiguration/mediaBase``, is read through the store, never by HTTP;
/// - another host is asked only when ``AnalysisConfiguration/photoHosts`` names it with its port,
///   by https unless its entry says otherwise, and without any header of ours;
/// - the host's name is looked up once, each of its addresses must be public, and the connection
///   goes to one of those very addresses, so that a second look-up can't say something else;
/// - up to three redirects are followed, to the same host and port only.
public struct PhotoSource: Sendable {
    /// Gives a file of the media store by its path below `/media/`; nil when there is none, or
    /// when it is not the user's to see.
    public typealias MediaReader =
        @Sendable (_ path: String, _ user: String) async throws -> [UInt8]?

    private static let redirectsMax = 3

    private let configuration: AnalysisConfiguration
    private let media: MediaReader

    /// Connects nowhere yet.
    public init(_ configuration: AnalysisConfiguration, media: @escaping MediaReader) {
        self.configuration = configuration
        self.media = media
    }

    /// The photo, at most ``AnalysisConfiguration/photoBytesMax``.
    ///
    /// - Parameter user: whose capture names it.
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

    /// The part behind the media base, decoded; nil for any other URL.
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
            // One limit holds for all of it.
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

    /// Scheme, host and port as an entry of the allow-list; nil for what can't be one, a name or
    /// password in the URL among it.
    private static func target(_ url: URL) -> PhotoHost? {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, url.user == nil, url.password == nil
        else { return nil }
        return PhotoHost("\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? ""))
    }
}

/// Why there are no bytes of a photo. Carries no URL.
public enum PhotoFailure: Error, Equatable, Sendable {
    /// No URL of a kind that is fetched here.
    case urlInvalid
    /// No allow-list names the host, or a redirect leads to another one.
    case hostNotAllowed
    /// The host's name leads to this machine or into a private network.
    case addressRefused
    /// Our own store has no such file.
    case missing
    /// More bytes than the limit.
    case tooLarge(bytesMax: Int)
    /// The host's answer was no 200.
    case status(Int)
    /// No whole answer in time.
    case timedOut
    /// No such host, no connection, or it ended early.
    case unreachable
    /// Our own store could not be asked.
    case storeFailed

    /// It may be there in a minute.
    public var mayPass: Bool {
        switch self {
        case .timedOut, .unreachable, .storeFailed: true
        case .status(let status): status == 429 || (500...599).contains(status)
        default: false
        }
    }

    /// For logs: short and stable.
    public var word: String {
        switch self {
        case .urlInvalid: "photo_url_invalid"
        case .hostNotAllowed: "photo_host_not_allowed"
        case .addressRefused: "photo_address_refused"
        case .missing: "photo_missing"
        case .tooLarge: "photo_too_large"
        case .status(let status): "photo_http_\(status)"
        case .timedOut: "photo_timed_out"
        case .unreachable: "photo_unreachable"
        case .storeFailed: "photo_store_failed"
        }
    }
}

/// A host that photos may be fetched from.
public struct PhotoHost: Sendable, Hashable {
    /// Lower case.
    public let host: String
    /// 443, or 80 without TLS, where none is given.
    public let port: Int
    /// Only where the entry says `http://`: an object store in the same network.
    public let isPlain: Bool

    /// - Parameter entry: `photos.example.com`, `photos.example.com:8443` or
    ///   `http://store.internal:9000`; nil for anything else. There are no wildcards.
    public init?(_ entry: String) {
        var rest = Substring(entry.lowercased())
        isPlain = rest.hasPrefix("http://")
        if isPlain {
            rest = rest.dropFirst(7)
        } else if rest.hasPrefix("https://") {
            rest = rest.dropFirst(8)
        }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, parts.count <= 2,
            name.utf8.allSatisfy(Self.isHostByte)
        else { return nil }
        host = String(name)
        if parts.count == 2 {
            guard let number = UInt16(parts[1]), number > 0 else { return nil }
            port = Int(number)
        } else {
            port = isPlain ? 80 : 443
        }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 46
    }
}
