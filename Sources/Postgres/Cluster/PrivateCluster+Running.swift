extension PrivateCluster {
    /// The cluster of a data directory that another process runs, for commands beside a server.
    ///
    /// Takes no lock and starts nothing.
    /// - Returns: nil when no server runs there, or none has come up yet.
    public static func runningSettings(
        dataDirectory: String, database: String = "sluice"
    ) -> ConnectionSettings? {
        guard let home = try? Files.resolve(dataDirectory + "/postgres"),
            let server = ServerProcess.find(inDirectory: home + "/data"),
            let socketDirectory = server.socketDirectory
        else { return nil }
        return ConnectionSettings(
            socketDirectory: socketDirectory, port: server.port, user: superuser,
            database: database)
    }
}
