/// The answers of one group, gathered by event loop: one call for each.
struct Deliveries {
    private var lists: [(target: any AcknowledgementTarget, list: [Acknowledgement])] = []

    /// Notes the outcome of one part of a batch.
    mutating func settle(_ receipt: Receipt, _ outcome: CommitOutcome) {
        guard let acknowledgement = receipt.settle(outcome) else { return }
        if let index = lists.firstIndex(where: { $0.target === receipt.target }) {
            lists[index].list.append(acknowledgement)
        } else {
            lists.append((receipt.target, [acknowledgement]))
        }
    }

    func send() {
        for (target, list) in lists { target.deliver(list) }
    }
}
