import Ingest
import Postgres
import SpoolLogSupport

/// What the service does beside the core: it looks at the primary from time to time, and at all
/// hosts less often.
extension Life {
    private var cluster: ModelCluster { run.database.cluster }

    /// Whether it has heard of the last promotion.
    var knowsPrimary: Bool {
        guard let known = book.known else { return true }
        return known.timeline == cluster.epoch(run.database.history).timeline
    }

    /// - Returns: the server's generation.
    func admit(_ history: Int, knownWhenAsked asked: Epoch?) throws(PostgresError) -> Int {
        let epoch = cluster.epoch(history)
        try book.admit(epoch, knownWhenAsked: asked)
        return book.generation(of: epoch)
    }

    func watchStandbys() {
        while !isDead, !run.scheduler.isOver {
            pass(500)
            if !run.mayBreak { cluster.reportAll() }
            look()
            if !run.mayBreak || run.scheduler.dice.below(3) == 0 {
                _ = try? admit(run.database.history, knownWhenAsked: book.known)
            }
        }
    }

    private func pass(_ milliseconds: Int) {
        run.scheduler.spend(Int64(run.scheduler.dice.below(milliseconds * 1_000_000)))
    }

    private func look() {
        let trustsOld = run.sabotage == .trustsOldTimelines
        let asked = book.known
        let mark = unreplicated.mark
        pass(5)
        guard run.database.isReachable else { return }
        let kills = run.database.generation
        let found = cluster.historyThatIsFound(by: self)
        let history = trustsOld ? cluster.oldHistory ?? found : found
        let position = cluster.epoch(history).position
        guard trustsOld || (try? admit(history, knownWhenAsked: asked)) != nil else { return }
        let seen = cluster.visible(at: history)
        let views = readViews(history)
        pass(5)
        guard !isDead, run.database.generation == kills else { return }
        guard trustsOld || book.generation == mark.history else { return }
        slept += .seconds(7200)
        // The primary's setting says that commits wait for all standbys, but no commit does.
        let believes = run.sabotage == .believesSetting
        unreplicated.observe(
            standbys(views), synchronous: believes ? position : views.synchronouslyFlushed,
            position: position, since: trustsOld ? unreplicated.mark : mark,
            now: SimulatedWorld.instant(run.scheduler.now) + slept)
        note(seen.filter { $0.isVisible(at: history) })
    }

    /// Reads the views one after the other, as the server does.
    private func readViews(_ history: Int) -> ReplicationViews {
        var views = ReplicationViews()
        views.synchronousCount = run.scenario.standbys
        views.slotsBefore = cluster.slots(at: history)
        pass(2)
        views.senders = cluster.senders(at: history)
        pass(2)
        views.slots = cluster.slots(at: history)
        return views
    }

    private func standbys(_ views: ReplicationViews) -> [StandbyPosition] {
        let primary = cluster.epoch(run.database.history).position
        var views = views
        switch run.sabotage {
        case .standbyBoasts:
            return views.standbys.map {
                StandbyPosition(name: $0.name, flushed: primary, hasSlot: $0.hasSlot)
            }
        case .countsOnlyTheFastest:
            let fastest = views.standbys.max { $0.flushed ?? 0 < $1.flushed ?? 0 }
            return fastest.map { [StandbyPosition(name: "any", flushed: $0.flushed)] } ?? []
        case .forgetsWhoIsAway:
            (views.slots, views.slotsBefore) = ([], [])
            return views.standbys.map {
                StandbyPosition(name: $0.name, flushed: $0.flushed, hasSlot: true)
            }
        case .forgetsBusySlots:
            views.slots.removeAll { $0.activePID != nil }
            return views.standbys
        case .forgetsLostSlots:
            views.slots.removeAll(where: \.isLost)
            return views.standbys
        default:
            return views.standbys
        }
    }

    /// Standbys that were visible during the whole look count from now on. Before the first look
    /// ends, nothing has been released.
    private func note(_ visible: [ModelServer]) {
        if !hasLooked { watched.formUnion(visible.map(\.name)) }
        hasLooked = true
        cluster.release(besides: watched)
        watched.formUnion(visible.map(\.name))
    }
}
