package io.statestore.broker.server;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.ChangeLog;
import io.statestore.broker.engine.StateStoreEngine;
import io.statestore.broker.memory.HeapPlan;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.HybridLogicalClock;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state store as a server. It receives requests from a transport, and replies through
 * the {@link ClientConnection} of each request.
 * <p>
 * Safe for use by several threads. Requests of one connection are executed in the order
 * of the calls. A call usually executes its request before it returns, and may also
 * execute those of concurrent callers. When the reply is passed to the connection, all
 * notifications of the change have been passed to the observers.
 * <p>
 * A request that cannot be answered has no effect and is acknowledged with a reason code
 * of 0x80 or above. If its response topic is forbidden, its connection is ended, too.
 */
public final class StateStoreServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreServer.class);

	private final StateStoreServerCounters counters = new StateStoreServerCounters();

	private final StateStoreServerOptions options;

	private final LongSupplier nanoClock;

	private final @Nullable ScheduledExecutorService ownScheduler;

	private final SerialExecutor serial;

	private final RequestHandler handler;

	private final ExpiryTimer expiryTimer;

	private final @Nullable JournalGate gate;

	private final CompletableFuture<Error> failure = new CompletableFuture<>();

	private volatile boolean closed;

	/** Creates a server with the default options. */
	public StateStoreServer() {
		this(StateStoreServerOptions.defaults());
	}

	/**
	 * Creates a server.
	 * @param options the options
	 * @throws RuntimeException thrown by the journal if the start cannot be written
	 */
	public StateStoreServer(StateStoreServerOptions options) {
		this(options, HeapPlan.ofThisJvm().journalMemory());
	}

	/**
	 * Creates a server.
	 * @param maxHeld maximum number of bytes that wait for the journal
	 */
	StateStoreServer(StateStoreServerOptions options, long maxHeld) {
		this.options = options;
		this.nanoClock = options.nanoClock();
		ChangeJournal journal = options.journal();
		Version start = (journal != null) ? start(journal, options.wallClock()) : StateStoreEngine.BEFORE_ALL;
		JournalGate gate = (journal != null) ? new JournalGate(journal, maxHeld) : null;
		this.gate = gate;
		Messages messages = new Messages(options.wireForm(), gate);
		ChangeLog<ClientConnection> log = (gate != null)
				? (key, value, version, author) -> gate.changed(Change.of(key, value, version, author)) : null;
		StateStoreEngine<ClientConnection> engine = new StateStoreEngine<>(options.wallClock(), options.nanoClock(),
				options.quota(), messages, log, start);
		ScheduledExecutorService given = options.scheduler();
		ScheduledExecutorService scheduler = (given != null) ? given : newScheduler();
		this.ownScheduler = (given == null) ? scheduler : null;
		this.handler = new RequestHandler(engine, messages, new RequestMemory(options.replyMemory()), this.counters);
		this.serial = new SerialExecutor(scheduler, this::fail);
		this.expiryTimer = new ExpiryTimer(engine, this.serial, scheduler, this::expired);
	}

	/**
	 * Writes the start of the empty store to the journal. Returns the version that all
	 * later ones must exceed.
	 */
	private static Version start(ChangeJournal journal, LongSupplier wallClock) {
		Version last = journal.last();
		Version start = new HybridLogicalClock((last != null) ? last : StateStoreEngine.BEFORE_ALL, wallClock).tick();
		journal.write(List.of(Change.start(start)));
		return start;
	}

	private static ScheduledExecutorService newScheduler() {
		ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "statestore-expiry");
			thread.setDaemon(true);
			return thread;
		});
		scheduler.setRemoveOnCancelPolicy(true);
		return scheduler;
	}

	/**
	 * Handles a new connection. Must precede its first request.
	 * @param connection the connection
	 */
	public void connected(ClientConnection connection) {
		this.serial.execute(() -> this.handler.connected(connection));
	}

	/**
	 * Handles the end of a connection, which ends its observations (protocol section 6).
	 * Must follow its last request. A new connection with the same client id may already
	 * exist.
	 * @param connection the connection
	 */
	public void disconnected(ClientConnection connection) {
		this.serial.execute(() -> {
			this.handler.disconnected(connection);
			this.handler.measure();
		});
	}

	/**
	 * Ensures that all later versions are greater than those of an earlier server of the
	 * same store. Must precede the first request.
	 * @param last the greatest version that may have been issued
	 */
	public void startAfter(Version last) {
		this.serial.execute(() -> this.handler.startAfter(last));
	}

	/**
	 * Resumes an observation that a client started with an earlier server of the same
	 * store. The client is notified of the current value of the key, or of its deletion.
	 * If there is not enough memory, the observation ends.
	 * @param connection the connection of the client, see {@link #connected}
	 * @param key the key
	 */
	public void resume(ClientConnection connection, Bytes key) {
		this.serial.execute(() -> {
			this.handler.resume(connection, key);
			this.handler.measure();
			commit();
		});
	}

	/**
	 * Notifies an observer of the current value of a key, or of its deletion, in place of
	 * notifications that the transport has not sent. Has no effect if the client does not
	 * observe the key.
	 * @param connection the connection of the client
	 * @param key the key
	 */
	public void renotify(ClientConnection connection, Bytes key) {
		this.serial.execute(() -> {
			this.handler.renotify(connection, key);
			this.handler.measure();
			commit();
		});
	}

	/**
	 * Handles a request.
	 * @param request the message that a client published to the request topic
	 */
	public void request(IncomingRequest request) {
		long arrival = this.nanoClock.getAsLong();
		this.counters.countRequest();
		// Decoded here, outside the part that only one thread executes at a time.
		Call call = Call.of(request);
		this.serial.execute(() -> handle(request, call, arrival));
	}

	/**
	 * Stops serving because of an error, such as exhausted memory, after which the state
	 * of the store may be inconsistent. Later requests have no effect and no reply. Only
	 * the first call has an effect.
	 * @param error the reason
	 */
	public void fail(Error error) {
		this.closed = true;
		if (this.failure.complete(error)) {
			logger.error("The state store stops serving because of an error. Restart it; if it ran out of memory, "
					+ "raise the heap (-Xmx) or lower the limits of the store", error);
		}
	}

	/**
	 * Returns a future that completes with the error that made this server stop.
	 * @return a copy; never completes while the server is healthy or closed normally
	 */
	public CompletableFuture<Error> failure() {
		return this.failure.copy();
	}

	StateStoreServerCounters counters() {
		return this.counters;
	}

	/**
	 * Returns the content of the store and the number of requests so far. Never waits,
	 * even after an error.
	 * @return a snapshot
	 */
	public StoreStatistics statistics() {
		return this.counters.statistics(this.options.quota(), this.options.replyMemory());
	}

	/**
	 * Stops the server. Keys no longer expire, and later requests have no effect.
	 * Requests already in execution on other threads complete. Waits until the journal
	 * has all changes, at most ten seconds.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.serial.execute(this.expiryTimer::close);
		if (this.ownScheduler != null) {
			this.ownScheduler.shutdown();
		}
		if (this.gate != null) {
			if (this.failure.isDone()) {
				this.gate.end();
			}
			else {
				this.serial.execute(this.gate::end);
			}
			this.gate.close();
		}
	}

	private void handle(IncomingRequest request, @Nullable Call call, long arrival) {
		long now = this.nanoClock.getAsLong();
		if (this.gate != null && (this.gate.isStalled() || this.gate.isFull())) {
			if (this.handler.refuse(call, now)) {
				acknowledge(request, ReasonCodes.SUCCESS);
				return;
			}
			if (this.gate.isFull()) {
				// Of what was executed before, the reply is lost: nothing more is held.
				acknowledge(request, RequestHandler.isAnswerable(call) ? ReasonCodes.SUCCESS
						: this.handler.handle(request, call, arrival, arrival));
				return;
			}
		}
		int reasonCode = ReasonCodes.UNSPECIFIED;
		try {
			reasonCode = this.closed ? ReasonCodes.IMPLEMENTATION_SPECIFIC
					: this.handler.handle(request, call, arrival, now);
		}
		catch (RuntimeException ex) {
			logger.error("A request failed", ex);
		}
		if (!this.closed) {
			this.expiryTimer.update();
		}
		this.handler.measure();
		if (this.gate != null) {
			int code = reasonCode;
			this.gate.release(() -> acknowledge(request, code), request.payload().length());
			this.gate.commit();
		}
		else {
			acknowledge(request, reasonCode);
		}
	}

	private void expired() {
		this.handler.measure();
		commit();
	}

	private void commit() {
		if (this.gate != null) {
			this.gate.commit();
		}
	}

	private static void acknowledge(IncomingRequest request, int reasonCode) {
		try {
			// First: a request that is not acknowledged would come again with the next
			// connection, and end that one, too.
			request.acknowledgment().acknowledge(reasonCode);
		}
		finally {
			if (reasonCode == ReasonCodes.TOPIC_NAME_INVALID) {
				request.connection()
					.disconnect(ReasonCodes.PROTOCOL_ERROR, "The response topic of a request is not allowed");
			}
		}
	}

}
