import Testing

/// A seed that once found a fault, with the story of that fault.
///
/// When scenarios change, a seed means another run. A kept seed is then one more run, and its story
/// stays true.
struct KeptSeed: Sendable, CustomTestStringConvertible {
    let seed: UInt64
    let story: String

    var testDescription: String { "\(seed)" }

    static let all: [KeptSeed] = [
        KeptSeed(
            seed: 20,
            story: """
                A lane whose batches were taken from it while the group at hand was refused stayed \
                stalled for ever, and nothing came back from the spool.
                """),
        KeptSeed(
            seed: 1165,
            story: "The same lane, with the replay refused as well."),
        KeptSeed(
            seed: 3785,
            story: """
                A segment could not be made in the middle of a group: what was appended before stayed \
                pending, became durable with the next group, and the books did not add up.
                """),
        KeptSeed(
            seed: 27762,
            story: """
                A stop did not keep its deadline while a lane had a queue: the lane heard of it only \
                behind all of that.
                """),
        KeptSeed(
            seed: 212_645,
            story: """
                The last stop of a run spooled what a slow database had not taken, which is right, and \
                the oracle took it for lost: a run ends with a process that brings it back.
                """),
        KeptSeed(
            seed: 310_252,
            story: "A dead process was so many years ahead that its histograms overflowed."),
        KeptSeed(
            seed: 318_047,
            story: """
                A sync failed, the file of what was refused then could not be removed, and the oracle \
                took what it found there for a promise.
                """),
        KeptSeed(
            seed: 17,
            story: "A dead process counted its patience from a time that did not pass."),
        KeptSeed(
            seed: 957,
            story: """
                A writer that had claimed one device registered another, and waited there for one that \
                had registered it and waited for the first: the database had to roll one of them back.
                """),
        KeptSeed(
            seed: 517,
            story: """
                Two ids with one key in one group: the claim's UPDATE took one of the two, the \
                owner's watermark ended below what was stored, and a replay was stored twice.
                """),
        KeptSeed(seed: 710, story: "The same, with an event."),
    ]
}
