/// Loads a server like a fleet, checks every row, and measures the raw limits to compare with.
///
/// `fleet` loads any Sluice and can check it (`--verify`). `raw-copy` and `discard` measure what
/// the same machine does with the same data without Sluice. `goals` runs both sides in turns and
/// prints the ratios. `chaos` causes real faults under load and checks every row; `frozen`
/// watches memory while the database hangs. `captures` measures WebSockets and uploads, `media`
/// many uploads and GETs, `meals` how soon the results of sentences are pushed.

import ArgumentParser
import Load

@main
struct SluiceBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sluice-bench",
        abstract: "Load, oracle and raw limits for Sluice.",
        discussion: """
            Examples:

              # 16 connections, 100-reading batches, 30 s, as fast as the server answers
              sluice-bench fleet --key KEY

              # 2000 requests/s whatever comes back; latency from when each should have left
              sluice-bench fleet --key KEY --rate 2000

              # everything that goes wrong in the field, then every row checked
              sluice-bench fleet --key KEY --rough --verify --database postgres://…

              # what this machine does without Sluice
              sluice-bench raw-copy --database postgres://…
              sluice-bench discard
              sluice-bench spool

              # kill, freeze, fill, cut: one round of each fault, every row read back
              sluice-bench chaos --rounds 1

              # acknowledgements over 1000 WebSockets, memory of idle ones, uploads
              sluice-bench captures

              # uploads over 256 connections beside cp + fsync, GETs beside nginx
              sluice-bench media

              # how well meals are read, and how soon their results are pushed
              sluice-bench meals

              # the ratios of the project's goals, with a server of its own
              sluice-bench goals --sluice ../.build/release/sluice
            """,
        subcommands: [
            FleetCommand.self, RawCopyCommand.self, DiscardCommand.self, DiscardServerCommand.self,
            SpoolCommand.self, GoalsCommand.self, CapturesCommand.self, MediaCommand.self,
            MealsCommand.self,
            ChaosCommand.self, FrozenCommand.self,
        ], defaultSubcommand: GoalsCommand.self)

    static func main() {
        raiseFileLimit()
        main(nil)
    }
}
