import Glibc

/// A thread that runs only while it has the baton.
final class FiberThread: @unchecked Sendable {
    // Guard of `@unchecked`: the thread with the baton writes `work` before it passes the baton on.

    private let baton: UnsafeMutablePointer<sem_t>
    /// The work to do when the baton arrives next.
    var work: (() -> Void)?

    /// Represents the calling thread, which exists already.
    init(adoptingCaller: ()) {
        baton = .allocate(capacity: 1)
        sem_init(baton, 0, 0)
    }

    /// Starts a thread that runs one ``work`` after the other and ends when it gets the baton
    /// without work.
    init() {
        baton = .allocate(capacity: 1)
        sem_init(baton, 0, 0)
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(attributes, 1 << 20)
        var thread = 0 as pthread_t
        let result = pthread_create(
            &thread, attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<FiberThread>.fromOpaque(argument).takeRetainedValue().loop()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        pthread_attr_destroy(attributes)
        precondition(result == 0, "BUG: pthread_create \(result)")
    }

    deinit {
        sem_destroy(baton)
        baton.deallocate()
    }

    private func loop() {
        while true {
            waitForBaton()
            guard let work = takeWork() else { return }
            work()
        }
    }

    private func takeWork() -> (() -> Void)? {
        defer { work = nil }
        return work
    }

    func passBaton() { sem_post(baton) }

    func waitForBaton() {
        while sem_wait(baton) != 0 {}
    }
}
