import ArgumentParser

/// `sluice`: without a verb it shows its help.
@main
struct SluiceCommand: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "sluice",
        abstract: "Takes telemetry over HTTP into PostgreSQL. A 200 means COMMIT.",
        discussion: """
            Start with: sluice serve
            It starts a private PostgreSQL under ./var unless DATABASE_URL names a
            server, and prints a curl to try.
            """,
        version: version,
        subcommands: [
            Serve.self, Migrate.self, Psql.self, Keys.self, Quarantine.self, Spool.self,
            JobsCommand.self, FoodsCommand.self, RollupsCommand.self, ArchiveCommand.self,
            AnalystCommand.self,
            ExportCommand.self, DoctorCommand.self, ForgetCommand.self,
            Health.self, Top.self, Config.self, Version.self,
        ])
}
