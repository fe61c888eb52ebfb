// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// One pthread with one lws context. Other threads reach it through its mailbox alone.
final class LWSServiceThread: Sendable {
    /// What is asked of the thread.
    enum Command: Sendable {
        case dial(DialRequest)
        case abandonDial(UInt64)
        case close(UInt64, code: UInt16, reason: String, deadline: Duration)
        case setReading(UInt64, Bool)
        case listen(ListenRequest)
        case stopListening(UInt64, completion: @Sendable () -> Void)
        case shutDown(deadline: Duration)
    }

    /// The context, for `lws_cancel_service` alone: the one function that may be called from any thread. It is
    /// `@unchecked Sendable` because it is used only under the mailbox's lock, and taken away under that lock before
    /// the thread ends.
    @safe private struct Wakeup: @unchecked Sendable {
        let context: OpaquePointer
    }

    private struct Mailbox {
        var commands: [Command] = []
        /// Connections whose outboxes have something to send.
        var writable: [UInt64] = []
        /// Parts of tasks that are to run on this thread.
        var jobs: [Job] = []
        var wakeup: Wakeup?
        /// The thread was woken and has not come yet.
        var isSignalled = false
        var state = State.idle
        var ended: [@Sendable () -> Void] = []
    }

    private enum State {
        case idle, running, stopping, ended
    }

    /// A part of a task, and the executor on whose behalf it runs.
    struct Job: Sendable {
        var job: UnownedJob
        var executor: EventLoopExecutor

        func run() { unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    private let mailbox = Mutex(Mailbox())
    /// Something may lie in the mailbox. Set under its lock and read without: lws tells of one wake-up several times,
    /// and all but the first find nothing.
    private let hasMail = Atomic<Bool>(false)

    /// What lay in the mailbox.
    struct Mail {
        var commands: [Command]
        var writable: [UInt64]
        var jobs: [Job]
    }

    init() {}

    /// Leaves a command; starts the thread with the first one. False when the thread has ended or is about to: then
    /// the command will not be carried out.
    func post(_ command: Command) -> Bool {
        let (isAccepted, mustStart) = mailbox.withLock { mailbox -> (Bool, Bool) in
            guard mailbox.state == .idle || mailbox.state == .running else { return (false, false) }
            let mustStart = mailbox.state == .idle
            mailbox.state = .running
            mailbox.commands.append(command)
            signal(&mailbox)
            return (true, mustStart)
        }
        if mustStart { start() }
        return isAccepted
    }

    /// Runs a part of a task: on this thread, or, when that has ended, on one that is started for it. It is never lost,
    /// for its task would wait for good.
    func run(_ job: UnownedJob, for executor: EventLoopExecutor) {
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

    /// Runs what came too late for the thread.
    private static func runElsewhere(_ jobs: [Job]) {
        guard !jobs.isEmpty else { return }
        do {
            try DialThread.start { for job in jobs { job.run() } }
        } catch {
            // No thread can be had: better here than never.
            for job in jobs { job.run() }
        }
    }

    /// The context, when this is called on the thread itself.
    var currentContext: LWSContext? {
        guard let context = LWSContext.current, context.thread === self else { return nil }
        return context
    }

    /// Says, from another thread, that a connection has something to write.
    func markWritable(_ connection: UInt64) {
        mailbox.withLock { mailbox in
            guard mailbox.state == .running || mailbox.state == .stopping else { return }
            mailbox.writable.append(connection)
            signal(&mailbox)
        }
    }

    private func signal(_ mailbox: inout Mailbox) {
        hasMail.store(true, ordering: .releasing)
        guard !mailbox.isSignalled, let wakeup = mailbox.wakeup else { return }
        mailbox.isSignalled = true
        unsafe lws_cancel_service(wakeup.context)
    }

    /// Empties the mailbox. Only for the service thread.
    func takeMail(reusing mail: inout Mail) {
        mail.commands.removeAll(keepingCapacity: true)
        mail.writable.removeAll(keepingCapacity: true)
        mail.jobs.removeAll(keepingCapacity: true)
        // What is left after this sets it again, under the lock.
        guard hasMail.exchange(false, ordering: .acquiring) else { return }
        mailbox.withLock { mailbox in
            swap(&mailbox.commands, &mail.commands)
            swap(&mailbox.writable, &mail.writable)
            swap(&mailbox.jobs, &mail.jobs)
            mailbox.isSignalled = false
        }
    }

    /// Ends the thread, once its connections are closed or the deadline is over, and waits for that.
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
                    mailbox.commands.append(.shutDown(deadline: deadline))
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
        // OpenSSL writes without MSG_NOSIGNAL: with SIGPIPE blocked, a peer's reset is an error and no signal.
        // The thread inherits the mask, so it is never without.
        var all = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        // Retained for the thread, which takes the reference over first of all.
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

    /// The thread has ended, or could not start: nobody will carry out what is left.
    ///
    /// What keeps a thread from starting may pass, so the next command tries anew.
    /// - Parameter failure: Why it could not start.
    private func end(failure: LWSProcess.Failure?) {
        let (commands, jobs, ended) = mailbox.withLock { mailbox in
            mailbox.state = failure != nil && mailbox.state == .running ? .idle : .ended
            defer {
                mailbox.commands = []
                mailbox.writable = []
                mailbox.jobs = []
                mailbox.ended = []
                mailbox.isSignalled = false
            }
            return (mailbox.commands, mailbox.jobs, mailbox.ended)
        }
        Self.runElsewhere(jobs)
        for command in commands { LWSContext.refuse(command, because: failure.map(Self.error)) }
        for waiter in ended { waiter() }
    }

    private static func error(_ failure: LWSProcess.Failure) -> WebSocketError {
        WebSocketError(
            .eventLoopsStopped, "The event loop could not be started: \(failure.reason).",
            systemError: failure.code == 0 ? nil : failure.code)
    }
}
