/// The bounded channel between event loops and a lane, and the signal that wakes the lane.
///
/// - Bounded in bytes, because what waits costs memory, not slots. An empty channel takes any one
///   element, so that nothing legal is ever too large for it.
/// - One device can't fill it: it may have four times what is free, so that there is always room for
///   another one's batch.
/// - When it is full `offer` says so and keeps nothing: being full is normal, and the edge answers
///   503 before anything is promised.
/// - A crash leaves what it leaves: nothing in a channel has been acknowledged.
/// - One mutex, held for a few instructions; producers and the consumer take it once per batch or
///   once per group, never per reading.
enum Channels {}
