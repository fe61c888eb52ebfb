// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// A thread that runs an lws context. Other threads communicate with it only through its mailbox.
final class LWSServiceThread: Sendable {
    /// The context for `lws_cancel_service`, the only function that can be called from any thread. It is
    /// `@unchecked Sendable` because it is used only under the mailbox's lock, and is removed under that lock before
    /// the thread ends.
    @safe private struct Wakeup: @unchecked Sendable {
        let context: OpaquePointer
    }

    private struct Mailbox {
        var commands: [LoopCommand] = []
        /// The connections whose outboxes have messages to send.
        var writable: [UInt64] = []
        /// The jobs of tasks to run on this thread.
        var jobs: [Job] = []
        var wakeup: Wakeup?
        var state = State.idle
        var ended: [@Sendable () -> Void] = []
    }

    private enum State {
        case idle, running, stopping, ended
    }

    /// A job of a task, and its executor.
    struct Job: Sendable {
        var job: UnownedJob
        var executor: WebSocketEventLoops.Executor

        func run() { unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    private let mailbox = Mutex(Mailbox())
    /// Whether the mailbox may have content. It is set under the mailbox's lock and read without it, because lws
    /// reports one wake-up several times, and only the first report finds content.
    private let hasMail = Atomic<Bool>(false)
    /// Whether the thread waits in lws, or is about to, and nobody has woken it. Otherwise mail needs no wake-up, because
    /// the thread looks for mail before it waits.
    private let isWaiting = Atomic<Bool>(false)

    /// The content of the mailbox.
    struct Mail {
        var commands: [LoopCommand]
        var writable: [UInt64]
        var jobs: [Job]
    }

    init() {}

    /// Posts a command to the mailbox. The first command starts the thread. If the thread has ended or is about to end,
    /// the command is refused before this method returns.
    func post(_ command: LoopCommand) {
        let (isAccepted, mustStart) = mailbox.withLock { mailbox -> (Bool, Bool) in
            guard mailbox.state == .idle || mailbox.state == .running else { return (false, false) }
            let mustStart = mailbox.state == .idle
            mailbox.state = .running
            mailbox.commands.append(command)
            signal(&mailbox)
            return (true, mustStart)
        }
        if mustStart { start() }
        if !isAccepted { command.refuse(nil) }
    }

    /// Runs a job of a task on this thread, or on a new thread if this thread has ended. A job is never dropped,
    /// because its task would wait forever.
    func run(_ job: UnownedJob, for executor: WebSocketEventLoops.Executor) {
        let job = Job(job: job, executor: executor)
        if let context = currentContext { return context.enqueue(job) }
        let (isAccepted, mustStart) = mailbox.withLock { mailbox -> (Bool, Bool) in
            guard mailbox.state != .ended else { return (false, false) }
            let mustStart = mailbox.state == .idle
            if mustStart { mailbox.state = .running }
            mailbox.jobs.append(job)
            signal(&mailbox)
            return (true, mustStart)
        }
        if mustStart { start() }
        if !isAccepted { Self.runElsewhere([job]) }
    }

    /// Runs jobs that came too late for the thread, on a new thread.
    private static func runElsewhere(_ jobs: [Job]) {
        guard !jobs.isEmpty else { return }
        do {
            try DialThread.start { for job in jobs { job.run() } }
        } catch {
            // No thread can be started, so the jobs run on the current thread.
            for job in jobs { job.run() }
        }
    }

    /// The context if the current thread is this service thread; otherwise `nil`.
    var currentContext: LWSContext? {
        guard let context = LWSContext.current, context.thread === self else { return nil }
        return context
    }

    /// Notes that a connection has messages to write. Called on other threads.
    func markWritable(_ connection: UInt64) {
        mailbox.withLock { mailbox in
            guard mailbox.state == .running || mailbox.state == .stopping else { return }
            mailbox.writable.append(connection)
            signal(&mailbox)
        }
    }

    private func signal(_ mailbox: inout Mailbox) {
        // Sequentially consistent here and in `beginWaiting`: either this function sees that the thread waits, or the thread
        // sees the mail.
        hasMail.store(true, ordering: .sequentiallyConsistent)
        guard let wakeup = mailbox.wakeup, isWaiting.exchange(false, ordering: .sequentiallyConsistent) else { return }
        unsafe lws_cancel_service(wakeup.context)
    }

    /// Notes that the thread waits for descriptors next. From now on, mail wakes it.
    ///
    /// - Returns: `false` if there is mail, for which nobody may wake the thread.
    func beginWaiting() -> Bool {
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        guard hasMail.load(ordering: .sequentiallyConsistent) else { return true }
        isWaiting.store(false, ordering: .relaxed)
        return false
    }

    /// Notes that the thread does not wait now. It will look for mail before it waits again.
    func endWaiting() {
        if isWaiting.load(ordering: .relaxed) { isWaiting.store(false, ordering: .relaxed) }
    }

    /// Empties the mailbox. Called on the service thread only.
    func takeMail(reusing mail: inout Mail) {
        mail.commands.removeAll(keepingCapacity: true)
        mail.writable.removeAll(keepingCapacity: true)
        mail.jobs.removeAll(keepingCapacity: true)
        // A command that is posted after this sets the flag again, under the lock.
        guard hasMail.exchange(false, ordering: .acquiring) else { return }
        mailbox.withLock { mailbox in
            swap(&mailbox.commands, &mail.commands)
            swap(&mailbox.writable, &mail.writable)
            swap(&mailbox.jobs, &mail.jobs)
        }
    }

    /// Ends the thread when its connections are closed or the deadline has passed. Returns when it has ended.
    func shutDown(deadline: Duration) async {
        await withCheckedContinuation { continuation in
            enum Step { case resume, wait, signal }
            let step = mailbox.withLock { mailbox -> Step in
                switch mailbox.state {
                case .idle, .ended:
                    mailbox.state = .ended
                    return .resume
                case .stopping:
                    mailbox.ended.append { continuation.resume() }
                    return .wait
                case .running:
                    mailbox.state = .stopping
                    mailbox.commands.append(LoopCommand { $0.shutDown(deadline: deadline) })
                    mailbox.ended.append { continuation.resume() }
                    signal(&mailbox)
                    return .signal
                }
            }
            if case .resume = step { continuation.resume() }
        }
    }

    // MARK: The thread

    private func start() {
        // OpenSSL writes without MSG_NOSIGNAL. With SIGPIPE blocked, a reset by the peer is an error and not a signal.
        // The thread inherits the mask, so the signals are blocked from its start.
        var all = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        // The retain is for the thread, which takes it over at its start.
        let this = unsafe Unmanaged.passRetained(self)
        let status = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                // Takes over the retain made above, once: a thread runs its function once.
                unsafe Unmanaged<LWSServiceThread>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, this.toOpaque())
        unsafe pthread_attr_destroy(&attributes)
        if status != 0 {
            unsafe this.release()
            end(failure: LWSProcess.Failure(code: status, reason: errorText(status)))
        }
    }

    private func run() {
        let context: LWSContext
        switch LWSContext.make(thread: self) {
        case .success(let made): context = made
        case .failure(let failure): return end(failure: failure)
        }
        let wakeup = unsafe Wakeup(context: context.pointer)
        mailbox.withLock { $0.wakeup = wakeup }
        context.run()
        mailbox.withLock { $0.wakeup = nil }
        context.end()
        Self.runElsewhere(context.takeJobs())
        // Otherwise it would happen after `end`, when the program may be at its own end already.
        OPENSSL_thread_stop()
        end(failure: nil)
    }

    /// Refuses the remaining commands, because the thread has ended or could not start.
    ///
    /// If the thread could not start, the next command tries again.
    ///
    /// - Parameter failure: The reason why the thread could not start; `nil` if it has ended.
    private func end(failure: LWSProcess.Failure?) {
        let (commands, jobs, ended) = mailbox.withLock { mailbox in
            mailbox.state = failure != nil && mailbox.state == .running ? .idle : .ended
            defer {
                mailbox.commands = []
                mailbox.writable = []
                mailbox.jobs = []
                mailbox.ended = []
            }
            return (mailbox.commands, mailbox.jobs, mailbox.ended)
        }
        Self.runElsewhere(jobs)
        for command in commands { command.refuse(failure) }
        for waiter in ended { waiter() }
    }
}
