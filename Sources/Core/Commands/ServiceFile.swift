import Foundation

/// The configuration of the service on an installed machine.
///
/// An installed program, in `/usr/bin` or `/usr/local/bin`, reads it unless the command names another
/// installation: `--config`, `SLUICE_CONFIG`, `--data-dir` or `SLUICE_DATA_DIR`. So a command finds the
/// database, the spool and the keys of the service without being told where they are.
enum ServiceFile {
    /// Of the package and of `deploy/systemd`.
    static let path = "/etc/sluice/sluice.conf"

    private static let directories = ["/usr/bin/", "/usr/local/bin/"]

    /// - Parameters:
    ///   - program: the absolute path of the running program, without links.
    ///   - isAnotherNamed: the command names another installation.
    ///   - exists: whether there is a file of this path.
    /// - Returns: nil if the service is not meant.
    static func path(
        program: String, isAnotherNamed: Bool, exists: (String) -> Bool
    ) -> String? {
        guard !isAnotherNamed, directories.contains(where: { program.hasPrefix($0) }) else {
            return nil
        }
        return exists(path) ? path : nil
    }

    /// For this process.
    static func current(isAnotherNamed: Bool) -> String? {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return path(
            program: program ?? "", isAnotherNamed: isAnotherNamed,
            exists: { access($0, F_OK) == 0 || errno == EACCES })
    }
}
