/// Loads a server like a fleet, checks every row, and measures the raw limits to compare with.
///
/// `fleet` loads any Sluice and can check it (`--verify`). `raw-copy` and `discard` measure what
/// the same machine does with the same data without Sluice. `goals` runs both sides in turns and
/// prints the ratios. `chaos` causes real faults under load and checks every row; `soak` does so
/// for hours and compares what might grow; `frozen` watches memory while the database hangs.
/// `captures` measures WebSockets and uploads, `media` many uploads and GETs, `meals` how soon the
/// results of sentences are pushed.

import ArgumentParser
import Load

@main
struct SluiceBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sluice-bench",
        abstract: "Load tests and benchmarks of Sluice, and an oracle that checks every row.",
        discussion: """
            Examples:

              # 16 connections, 100-reading batches, 30 s, as fast as the server answers
              sluice-bench fleet --key KEY

              # 2000 requests/s, however slow the answers; latency from when each is due
              sluice-bench fleet --key KEY --rate 2000

              # clients with every bad habit; afterwards every row is checked
              sluice-bench fleet --key KEY --rough --verify --database postgres://…

              # the limits of this machine, to compare with
              sluice-bench raw-copy --database postgres://…
              sluice-bench discard

              # one round of each fault (kill, freeze, full disk, …); every row is read back
              sluice-bench chaos --rounds 1

              # one fleet for eight hours with a fault now and then: nothing may grow
              sluice-bench soak --hours 8 --rate 100

              # acknowledgements over 1000 WebSockets, memory of idle sockets, uploads
              sluice-bench captures

              # uploads over 256 connections against cp + fsync, GETs against nginx
              sluice-bench media

              # time from a meal's request to the push of its result
              sluice-bench meals

              # all ratios of the goals table, with a private server
              sluice-bench goals --sluice ../.build/release/sluice
            """,
        subcommands: [
            FleetCommand.self, RawCopyCommand.self, DiscardCommand.self, DiscardServerCommand.self,
            GoalsCommand.self, CapturesCommand.self, MediaCommand.self,
            MealsCommand.self,
            ChaosCommand.self, SoakCommand.self, FrozenCommand.self,
        ], defaultSubcommand: GoalsCommand.self)

    static func main() {
        raiseFileLimit()
        main(nil)
    }
}
