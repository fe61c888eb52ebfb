// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// The lws context of a service thread, and all members that it serves. It is only used on that thread. lws waits for
/// descriptors and timers, and can be woken. It polls one descriptor: an ``EpollSet`` with all others. The owners of
/// the descriptors read, write and implement the protocol between two calls of lws.
@safe package final class LWSContext {
    let raw: LWSRawContext
    package let thread: LWSServiceThread
    /// The buffer into which all connections of this thread are read, one after another.
    @unsafe package let readBuffer: UnsafeMutableRawBufferPointer
    private var descriptors = DescriptorTable()
    /// The descriptors whose polled events must change.
    private var changing: [LoopDescriptor] = []
    /// The events of one pass.
    @unsafe private let events: UnsafeMutableBufferPointer<epoll_event>
    /// Whether lws has found a descriptor ready in this pass.
    private var hasReadyDescriptors = false
    private var connections: [UInt64: any LoopConnection] = [:]
    /// The members that are not connections.
    private var others: [UInt64: any LoopMember] = [:]
    /// The timers that are scheduled. Only ``LWSTimer`` changes it.
    var timers = TimerHeap<LWSTimer>()
    /// The time of the earliest timer when the wait of this pass began.
    private var earliestTimer = Int64.max
    let alarm: LWSAlarm
    /// The connections that have delivered messages in this pass.
    private var reading: [any LoopConnection] = []
    /// The connections that write at the end of this pass.
    private var writing: [any LoopConnection] = []
    /// The connections that write now. It exchanges its storage with `writing`, so that no pass allocates any.
    private var writingNow: [any LoopConnection] = []
    /// The owners whose TLS has buffered bytes that the kernel does not report.
    private var readingAgain: [any DescriptorOwner] = []
    private var mustReadAgain = false
    private var mail = LWSServiceThread.Mail()
    /// The jobs of tasks to run, in order, and the number of jobs that have run.
    private var jobs: [LWSServiceThread.Job] = []
    private var finishedJobs = 0
    private var isRunningJobs = false
    /// Whether a pass is in progress. Messages that are enqueued during a pass are written at its end.
    private var isInPass = false
    package private(set) var isStopping = false
    /// The object that uses lws itself on this thread.
    package var attachment: (any LoopAttachment)?
    /// The number of sockets that lws itself polls. The thread does not end before they are closed.
    package var attachedSockets = 0
    /// The connections of lws whose TLS handshake has not begun.
    package var tlsOpenings: [any TLSOpening] = []
    private var stopTimer: LWSTimer?
    private var isStopForced = false

    /// The number of bytes that are read from one connection before others are served.
    static let readBufferBytes = 65_536
    /// The number of descriptors that are served in a pass.
    private static let eventsPerPass = 256

    /// The key under which a service thread finds its context.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// The context of the current thread, or `nil` if it is not a service thread.
    package static var current: LWSContext? {
        // Set by `init` and cleared by `end`, both on the thread that owns the context, so it is alive.
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<LWSContext>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Makes the context, on the thread that will serve it.
    init(_ raw: LWSRawContext, thread: LWSServiceThread) {
        self.raw = raw
        self.thread = thread
        alarm = unsafe LWSAlarm(raw.pointer)
        unsafe readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 16)
        unsafe events = .allocate(capacity: Self.eventsPerPass)
        unsafe events.initialize(repeating: epoll_event())
        // Not retained: the thread that owns the value keeps this context until its function ends.
        unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The lws context, for calls of lws on this thread.
    @unsafe package var pointer: OpaquePointer { unsafe raw.pointer }

    package func assertOnThread() {
        assert(LWSContext.current === self, "lws is called on its own service thread only")
    }

    // MARK: Serving

    /// Serves until all connections and listeners are closed after a shutdown. All work is done between two calls of
    /// lws, except for the callbacks of connections of lws itself, which deliver messages. Mail wakes lws.
    func run() {
        while !isOver {
            if !thread.beginWaiting() {
                handleMail()
                if isOver { break }
                // If there is more mail, lws only looks at the descriptors, so that they are also served.
                if !thread.beginWaiting() { wakeUp() }
            }
            for descriptor in changing { descriptor.applyChange() }
            changing.removeAll(keepingCapacity: true)
            let earliest = timers.earliest
            earliestTimer = earliest ?? .max
            alarm.set(to: earliest)
            // Messages that a callback enqueues are written at the end of the pass.
            isInPass = true
            let status = unsafe lws_service(raw.pointer, 0)
            thread.endWaiting()
            guard status >= 0 else { break }
            serveDescriptors()
            readAgain()
            endReads()
            fireTimers()
            handleMail()
        }
    }

    /// The function that lws calls for all events. It always returns zero, because lws would otherwise close the set.
    static let callback:
        @convention(c) (
            OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
        ) -> Int32 = { _, reason, _, _, _ in
            guard reason == LWS_CALLBACK_RAW_RX_FILE else { return 0 }
            guard let context = LWSContext.current else {
                LWSSelfCheck.setIsReported()
                return 0
            }
            context.hasReadyDescriptors = true
            return 0
        }

    /// Passes the events of descriptors on to their owners.
    private func serveDescriptors() {
        guard hasReadyDescriptors else { return }
        hasReadyDescriptors = false
        let count = unsafe raw.epoll.ready(events)
        for index in 0..<count {
            let event = unsafe events[index]
            // The owner of another descriptor may have closed this one in the meantime.
            unsafe descriptors[event.data.u64]?.handle(event.events)
        }
    }

    /// Fires the timers that are due, after the bytes that have arrived were read. A timer that is scheduled in the
    /// meantime waits for the next pass.
    private func fireTimers() {
        guard earliestTimer < .max else { return }
        let now = MonotonicClock.now
        guard earliestTimer <= now else { return }
        for _ in 0..<timers.count {
            guard let timer = timers.takeDue(now: now) else { return }
            timer.fire()
        }
    }

    private var isOver: Bool { isStopping && (isStopForced || descriptors.isEmpty && attachedSockets == 0) }

    private func handleMail() {
        isInPass = true
        drainMailbox()
        endPass()
        // Jobs run last, so that tasks resumed by the other steps run before lws waits again.
        runJobs()
    }

    private func endPass() {
        isInPass = false
        writeAll()
    }

    /// Ends all remaining connections and listeners, and returns the lws context to the process.
    func end() {
        assertOnThread()
        stopTimer?.cancel()
        alarm.set(to: nil)
        for member in others.values { member.loopEnded() }
        for connection in connections.values { connection.loopEnded() }
        for descriptor in descriptors.all {
            descriptor.owner?.closing()
            descriptor.close()
        }
        attachment?.loopEnded()
        attachment = nil
        pthread_setspecific(Self.key, nil)
        unsafe readBuffer.deallocate()
        unsafe events.deallocate()
        LWSProcess.leave(raw)
    }

    /// Executes the commands in the mailbox, which can be empty.
    private func drainMailbox() {
        assertOnThread()
        thread.takeMail(reusing: &mail)
        jobs.append(contentsOf: mail.jobs)
        for command in mail.commands { command.perform(self) }
        for connection in mail.writable { connections[connection]?.messagesWereMarked() }
    }

    /// Tells all members to end by the deadline, connections last. A second later, the remaining ones are ended.
    func shutDown(deadline: Duration) {
        guard !isStopping else { return }
        isStopping = true
        for member in others.values { member.loopStops(deadline: deadline) }
        for connection in connections.values { connection.loopStops(deadline: deadline) }
        // The connections have their own deadlines. This timer is for a connection that does not end.
        forceStop(after: deadline + .seconds(1))
    }

    /// Gives a shutdown, which has begun or is about to begin, only little time.
    func hastenShutdown() { forceStop(after: .milliseconds(500)) }

    private func forceStop(after time: Duration) {
        let timer = stopTimer ?? LWSTimer(context: self) { [unowned self] in isStopForced = true }
        stopTimer = timer
        timer.schedule(noLaterThan: MonotonicClock.now + time.wholeNanoseconds)
    }

    // MARK: Tasks

    /// The number of jobs that run before the connections are served again.
    private static let jobsPerTurn = 1024
    /// The number of jobs that run before the messages that they enqueued are written. The peer can process these
    /// messages while the other jobs run.
    private static let jobsPerWrite = 64

    /// Runs a job of a task at the end of this pass.
    func enqueue(_ job: LWSServiceThread.Job) { jobs.append(job) }

    /// Runs the jobs, including jobs that are enqueued in the meantime.
    private func runJobs() {
        guard !jobs.isEmpty else { return }
        isRunningJobs = true
        while finishedJobs < min(jobs.count, Self.jobsPerTurn) {
            let job = jobs[finishedJobs]
            finishedJobs += 1
            job.run()
            if finishedJobs % Self.jobsPerWrite == 0 { writeAll() }
        }
        isRunningJobs = false
        writeAll()
        jobs.removeFirst(finishedJobs)
        finishedJobs = 0
        if !jobs.isEmpty { wakeUp() }
    }

    /// Makes lws return at once from the current or the next wait.
    func wakeUp() { unsafe lws_cancel_service(raw.pointer) }

    /// Removes and returns the jobs that have not run when the thread ends.
    func takeJobs() -> [LWSServiceThread.Job] {
        defer { jobs = [] }
        return Array(jobs[finishedJobs...])
    }

    // MARK: Members

    package func connection(_ id: UInt64) -> (any LoopConnection)? { connections[id] }

    package func member(_ id: UInt64) -> (any LoopMember)? { others[id] }
    package func add(_ connection: any LoopConnection) { connections[connection.id] = connection }
    package func remove(_ connection: any LoopConnection) { connections[connection.id] = nil }
    package func add(_ member: any LoopMember) { others[member.id] = member }
    package func remove(_ member: any LoopMember) { others[member.id] = nil }

    /// Polls a descriptor. The caller must set its owner before the next pass. Returns `nil` if the kernel cannot poll
    /// it. The caller must then close the descriptor.
    package func adopt(_ number: Int32) -> LoopDescriptor? {
        guard let descriptor = LoopDescriptor(number, key: descriptors.nextKey, context: self) else { return nil }
        descriptors.insert(descriptor)
        return descriptor
    }

    func forget(_ descriptor: LoopDescriptor) { descriptors.remove(descriptor) }

    /// Records that the polled events of a descriptor must change before the next wait.
    func pollDiffers(of descriptor: LoopDescriptor) { changing.append(descriptor) }

    /// Records that a connection has delivered its first message in this pass.
    package func readBegan(_ connection: any LoopConnection) { reading.append(connection) }

    /// Ends the deliveries of this pass up to now.
    package func endReads() {
        guard !reading.isEmpty else { return }
        for connection in reading { connection.endRead() }
        reading.removeAll(keepingCapacity: true)
    }

    /// Calls ``DescriptorOwner/readable()`` in the next pass, even if the kernel reports nothing.
    package func readAgain(_ owner: any DescriptorOwner) {
        readingAgain.append(owner)
        mustReadAgain = true
        wakeUp()
    }

    private func readAgain() {
        guard mustReadAgain else { return }
        mustReadAgain = false
        let owners = readingAgain
        readingAgain.removeAll(keepingCapacity: true)
        for owner in owners { owner.readable() }
    }

    /// Handles a message that was enqueued on this thread. All messages of one pass are written together at its end.
    package func messagesEnqueued(_ id: UInt64) {
        guard let connection = connections[id] else { return }
        if isInPass || isRunningJobs { writeLater(connection) } else { connection.write() }
    }

    /// Makes a connection write at the end of this pass.
    package func writeLater(_ connection: any LoopConnection) {
        let mark = connection.writeMark
        guard !mark.isSet else { return }
        mark.isSet = true
        writing.append(connection)
    }

    private func writeAll() {
        guard !writing.isEmpty else { return }
        // A write can make a receiver enqueue messages. The next round writes them.
        swap(&writing, &writingNow)
        for connection in writingNow {
            connection.writeMark.isSet = false
            connection.write()
        }
        writingNow.removeAll(keepingCapacity: true)
    }
}
