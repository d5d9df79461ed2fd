import Foundation
import Logging
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct TLSFilesTests {
    private func fault(_ configuration: TLSConfiguration) -> TLSFault? {
        do throws(TLSFault) {
            _ = try TLSFiles(configuration: configuration).load()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a good pair is loaded`() throws {
        let pair = try TestCertificate()
        let loaded = try TLSFiles(configuration: pair.configuration).load()
        let days = (Double(loaded.expiresAt) - Date().timeIntervalSince1970) / 86_400
        #expect((29...31).contains(days))
    }

    @Test func `a fault names the file that it is about`() throws {
        let pair = try TestCertificate()
        let other = try TestCertificate(name: "other")
        let (certificate, key) = (pair.certificatePath, pair.keyPath)
        #expect(
            fault(TLSConfiguration(certificatePath: "/nowhere/c.pem", keyPath: key))
                == .unreadable(path: "/nowhere/c.pem", errno: ENOENT))
        #expect(
            fault(TLSConfiguration(certificatePath: certificate, keyPath: "/nowhere/k.pem"))
                == .unreadable(path: "/nowhere/k.pem", errno: ENOENT))
        #expect(
            fault(TLSConfiguration(certificatePath: key, keyPath: key)) == .noCertificate(path: key)
        )
        #expect(
            fault(TLSConfiguration(certificatePath: certificate, keyPath: certificate))
                == .noKey(path: certificate))
        #expect(
            fault(TLSConfiguration(certificatePath: certificate, keyPath: other.keyPath))
                == .mismatch(certificatePath: certificate, keyPath: other.keyPath))
        for content in [
            "", "not PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            try pair.write(content, to: certificate)
            #expect(fault(pair.configuration) == .noCertificate(path: certificate))
        }
    }

    @Test func `a key with a passphrase is refused without asking for it`() throws {
        let pair = try TestCertificate()
        let locked = pair.directory.appending(path: "locked.pem").path
        let result = try Shell.run(
            "openssl",
            ["pkey", "-in", pair.keyPath, "-aes256", "-passout", "pass:secret", "-out", locked])
        #expect(result.status == 0)
        #expect(
            fault(TLSConfiguration(certificatePath: pair.certificatePath, keyPath: locked))
                == .noKey(path: locked))
    }

    @Test func `every fault has a remedy`() {
        let faults: [TLSFault] = [
            .unreadable(path: "/c", errno: EACCES), .noCertificate(path: "/c"), .noKey(path: "/k"),
            .mismatch(certificatePath: "/c", keyPath: "/k"),
        ]
        for fault in faults { #expect("\(fault)".contains("/")) }
        #expect("\(faults[0])".contains("Permission denied"))
    }

    @Test func `a renewed pair is taken over, a broken one is not`() throws {
        let pair = try TestCertificate(name: "first")
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let context = try TLSContext(
            pair.configuration, logger: logger, clock: { ConnectionRig.now })
        let first = context.current
        context.reloadIfChanged()
        #expect(context.current === first)

        try pair.issue(name: "second")
        context.reloadIfChanged()
        let second = context.current
        #expect(second !== first)

        try pair.write("broken", to: pair.certificatePath)
        context.reloadIfChanged()
        #expect(context.current === second)

        try pair.issue(name: "third")
        context.reloadIfChanged()
        #expect(context.current !== second)
    }
}
