import Glibc

/// The user that owns the service's data.
///
/// A command that root runs for the service becomes this user. Otherwise its files would belong to
/// root, and the service could not use them.
enum ServiceUser {
    /// Makes this process one of the owner of `directory`. Does nothing unless this process is root
    /// and the owner is another user. Call it before the first thread starts.
    ///
    /// - Throws: a sentence, if the kernel refuses.
    static func become(ownerOf directory: String) throws(ExitError) {
        var entry = stat()
        guard geteuid() == 0, stat(directory, &entry) == 0, entry.st_uid != 0 else { return }
        let (user, group) = (entry.st_uid, entry.st_gid)
        // An owner need not have an account: a copied data directory, a dynamic user of systemd.
        let account = getpwuid(user)
        let hasGroups =
            if let account { initgroups(account.pointee.pw_name, account.pointee.pw_gid) == 0 } else
            {
                setgroups(0, nil) == 0
            }
        guard hasGroups, setgid(account?.pointee.pw_gid ?? group) == 0, setuid(user) == 0 else {
            throw ExitError(
                "can't act as the owner of \(directory): \(String(cString: strerror(errno)))",
                code: EX_NOPERM)
        }
        // PostgreSQL's programs warn of a directory that they can't enter, such as root's home.
        if access(".", X_OK) != 0 { chdir("/") }
        // psql reads its history and passwords there.
        setenv("HOME", account.map { String(cString: $0.pointee.pw_dir) } ?? directory, 1)
        if let account {
            setenv("USER", String(cString: account.pointee.pw_name), 1)
            setenv("LOGNAME", String(cString: account.pointee.pw_name), 1)
        }
    }
}
