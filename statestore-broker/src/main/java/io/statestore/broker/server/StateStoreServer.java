package io.statestore.broker.server;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.log.LogException;
import io.statestore.broker.session.SessionLog;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state store as a server. It receives requests from a transport, and replies through
 * the {@link ClientConnection} of each request.
 * <p>
 * Safe for use by several threads. Requests of one connection are executed in the order
 * of the calls. A call usually executes its request before it returns, unless it is a
 * SCAN, and may also execute those of concurrent callers. When the reply is passed to the
 * connection, all notifications of the change have been passed to the watchers.
 * <p>
 * A request that cannot be answered has no effect and is acknowledged with a reason code
 * of 0x80 or above. If its response topic is forbidden, its connection is ended, too.
 */
public final class StateStoreServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreServer.class);

	private final StateStoreServerCounters counters;

	private final KeyAccess access = new KeyAccess();

	private final StateStoreServerOptions options;

	private final LongSupplier nanoClock;

	private final @Nullable ScheduledExecutorService ownScheduler;

	private final SerialExecutor serial;

	private final ServingStore store;

	private final CompletableFuture<Error> failure = new CompletableFuture<>();

	private final AtomicBoolean failing = new AtomicBoolean();

	private volatile boolean closed;

	/** Whether this node no longer leads. Used within the serial executor. */
	private boolean deposed;

	/** Creates a server with the default options. */
	public StateStoreServer() {
		this(StateStoreServerOptions.defaults());
	}

	/**
	 * Creates a server. With a directory, recovers its data first, which may take a
	 * while.
	 * @param options the options
	 * @throws LogException if the directory cannot be used, its data are damaged, or the
	 * start cannot be written to it. The message names the next step
	 */
	public StateStoreServer(StateStoreServerOptions options) {
		this(options, ServerTuning.ofThisJvm());
	}

	/**
	 * Creates a server.
	 * @param tuning sizes that only tests change
	 */
	StateStoreServer(StateStoreServerOptions options, ServerTuning tuning) {
		this.nanoClock = options.nanoClock();
		this.counters = new StateStoreServerCounters();
		ScheduledExecutorService given = options.scheduler();
		ScheduledExecutorService scheduler = (given != null) ? given : newScheduler();
		this.options = options.withScheduler(scheduler);
		this.ownScheduler = (given == null) ? scheduler : null;
		this.serial = new SerialExecutor(scheduler, this::fail);
		try {
			this.store = open(tuning, new LocalStore(this.options, tuning, this.serial, this::fail)::open);
		}
		catch (RuntimeException | Error ex) {
			if (this.ownScheduler != null) {
				this.ownScheduler.shutdownNow();
			}
			throw ex;
		}
		this.serial.execute(this.store::batchFinished);
	}

	/**
	 * Creates a server for a store whose executors belong to another object. Called
	 * within the serial executor.
	 * @param options options with a scheduler
	 * @param serial the serial executor
	 * @param counters the counters of the store
	 * @param opener opens the store
	 */
	StateStoreServer(StateStoreServerOptions options, ServerTuning tuning, SerialExecutor serial,
			StateStoreServerCounters counters, BiFunction<ChangeListener, Runnable, OpenedStore> opener) {
		this.options = options;
		this.nanoClock = options.nanoClock();
		this.counters = counters;
		this.ownScheduler = null;
		this.serial = serial;
		this.store = open(tuning, opener);
		this.store.batchFinished();
	}

	private ServingStore open(ServerTuning tuning, BiFunction<ChangeListener, Runnable, OpenedStore> opener) {
		return new ServingStore(this.options, tuning, opener, this.serial, this.counters, this.access,
				() -> this.closed);
	}

	/** Returns a scheduler with one daemon thread. */
	static ScheduledExecutorService newScheduler() {
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
		this.serial.execute(() -> this.store.connected(connection));
	}

	/**
	 * Handles the end of a connection, which ends its watches (protocol section 6). Must
	 * follow its last request. A new connection with the same client id may already
	 * exist.
	 * @param connection the connection
	 */
	public void disconnected(ClientConnection connection) {
		this.serial.execute(() -> this.store.disconnected(connection));
	}

	/**
	 * Ensures that all later versions are greater than those of an earlier server of the
	 * same store. Must precede the first request.
	 * @param last the greatest version that may have been issued
	 */
	public void startAfter(Version last) {
		this.serial.execute(() -> this.store.startAfter(last));
	}

	/**
	 * Returns the number of requests that were denied, and of watches that ended, because
	 * the permissions of the client do not include them.
	 * @return the number since the start
	 */
	public long deniedRequests() {
		return this.access.denials();
	}

	/**
	 * Returns the number of requests for a new key that were refused because their
	 * principals had created too many.
	 * @return the number since the start
	 */
	public long refusedKeysOfPrincipals() {
		return this.counters.refusedKeys();
	}

	/**
	 * Resumes a watch that a client started with an earlier server of the same store. The
	 * client is notified of the current value of the key, or of its deletion. If there is
	 * not enough memory, the watch ends.
	 * @param connection the connection of the client, see {@link #connected}
	 * @param key the key
	 */
	public void resume(ClientConnection connection, Bytes key) {
		this.serial.execute(() -> this.store.resume(connection, key));
	}

	/**
	 * Notifies a watcher of the current value of a key, or of its deletion, in place of
	 * notifications that the transport has not sent. Has no effect if the client does not
	 * watch the key.
	 * @param connection the connection of the client
	 * @param key the key
	 */
	public void renotify(ClientConnection connection, Bytes key) {
		this.serial.execute(() -> this.store.renotify(connection, key));
	}

	/**
	 * Handles a request.
	 * @param request the message that a client published to the request topic
	 */
	public void request(IncomingRequest request) {
		long arrival = this.nanoClock.getAsLong();
		// Decoded here, outside the serial executor.
		Call decoded = Call.of(request, this.options.protocolDialect());
		this.counters.countRequest(decoded);
		Call call = (decoded != null) ? this.access.check(decoded) : null;
		this.serial.execute(() -> handle(request, call, arrival), () -> Call.isScan(call));
	}

	/**
	 * Handles an administration request, which is an extension of this project. An answer
	 * takes about a millisecond at most, however many keys and clients the store has.
	 * @param request the message that a client published to the topic of administration
	 * @param authorized whether the client may administer the server; if not, the request
	 * is refused
	 */
	public void administer(IncomingRequest request, boolean authorized) {
		administer(request, authorized, null, null);
	}

	/**
	 * Handles an administration request, see
	 * {@link #administer(IncomingRequest, boolean)}.
	 * @param request the message that a client published to the topic of administration
	 * @param authorized whether the client may administer the server
	 * @param cluster the cluster of this server, which answers requests to it later, or
	 * {@code null} if this server is not a node of one
	 * @param sessions the MQTT sessions of this server, which also answer later, or
	 * {@code null} if it keeps none
	 */
	public void administer(IncomingRequest request, boolean authorized, @Nullable ClusterOperations cluster,
			@Nullable SessionOperations sessions) {
		long arrival = this.nanoClock.getAsLong();
		AdministrationCall call = AdministrationCall.of(request, authorized);
		if (!authorized && (call == null || call.query() == null)) {
			this.access.deniedAdministration(request.connection());
		}
		this.serial.execute(() -> {
			if (this.closed) {
				refuse(request);
			}
			else {
				this.store.administer(request, call, this.nanoClock.getAsLong() - arrival, cluster, sessions);
			}
		}, () -> true);
	}

	/**
	 * Stops serving because of an error, such as exhausted memory, after which the state
	 * of the store may be inconsistent. Later requests have no effect and no reply. Only
	 * the first call has an effect.
	 * @param error the reason
	 */
	public void fail(Error error) {
		this.closed = true;
		if (this.failing.compareAndSet(false, true)) {
			report(error);
			logger
				.error("The state store stops serving because of an error. Restart it. If it ran out of memory, raise "
						+ "the heap (-Xmx) or lower the limits of the store. If its log failed, check the disk first",
						error);
		}
	}

	/**
	 * Completes the future on another thread. Its dependents may close this server, which
	 * waits for threads that may have failed.
	 */
	private void report(Error error) {
		try {
			Thread thread = new Thread(() -> this.failure.complete(error), "statestore-failure");
			thread.setDaemon(true);
			thread.start();
		}
		catch (Error ex) {
			// Too little memory may be left to start a thread.
			this.failure.complete(error);
		}
	}

	/**
	 * Returns a future that completes with the error that made this server stop. It
	 * completes on a thread of its own, on which this server can be closed.
	 * @return a copy; never completes while the server is healthy or closed normally
	 */
	public CompletableFuture<Error> failure() {
		return this.failure.copy();
	}

	/**
	 * Returns the protocol dialect of this server.
	 * @return the protocol dialect
	 */
	public ProtocolDialect protocolDialect() {
		return this.options.protocolDialect();
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
	 * Returns the state of the command log in the directory. Never waits, even after an
	 * error.
	 * @return a snapshot, empty if the data is kept in memory only
	 */
	public Optional<DurabilityStatistics> durability() {
		return this.store.durability();
	}

	/**
	 * Returns the log of MQTT sessions, which keeps them in the directory, or on all
	 * nodes of the cluster. After an error, or once this server is closed, it has no
	 * effect, and need not call back.
	 * @return the log, {@code null} if neither keeps them
	 */
	public @Nullable SessionLog sessionLog() {
		return this.store.sessionLog();
	}

	/**
	 * Stops the server. Keys no longer expire, and later requests have no effect.
	 * Requests already in execution on other threads complete. Waits until the directory
	 * has all changes, at most ten seconds. If the disk takes longer, the directory is in
	 * use until it responds.
	 */
	@Override
	public void close() {
		boolean served = !this.closed;
		this.closed = true;
		this.serial.execute(() -> this.store.end(served));
		this.store.close();
		if (this.ownScheduler != null) {
			this.ownScheduler.shutdown();
		}
	}

	/**
	 * Begins to lead a cluster, or to keep MQTT sessions in its log. Called within the
	 * serial executor.
	 * @param keepsSessions whether all nodes know entries of sessions
	 * @param timer schedules further attempts to append the start
	 * @param ready called once the start is applied
	 */
	void lead(boolean keepsSessions, RetryTimer timer, Runnable ready) {
		this.store.lead(keepsSessions, timer, ready);
	}

	/** Called within the serial executor when entries of another server were applied. */
	void applied() {
		this.store.batchFinished();
	}

	/**
	 * Ends this server with the leadership. Requests that wait get no reply, because
	 * their outcome is unknown. Neither do later ones, whose connections are about to
	 * end. Called within the serial executor.
	 */
	void depose() {
		this.deposed = true;
		this.closed = true;
		this.store.end(false);
	}

	private void handle(IncomingRequest request, @Nullable Call call, long arrival) {
		if (this.closed) {
			refuse(request);
			return;
		}
		this.store.handle(request, call, arrival, this.nanoClock.getAsLong());
	}

	/**
	 * Refuses a request. Does not respond if this node no longer leads, because the
	 * client then repeats the request on the next leader.
	 */
	private void refuse(IncomingRequest request) {
		if (!this.deposed) {
			RequestHandler.acknowledge(request, ReasonCodes.IMPLEMENTATION_SPECIFIC);
		}
	}

}
