package io.statestore.broker.server;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.history.HistoryPages;
import io.statestore.broker.history.StoreHistory;
import io.statestore.broker.session.SessionLog;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server's store: its state machine, log, and connections. Used within the serial
 * executor, except where noted.
 */
final class ServingStore implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ServingStore.class);

	private final StateStoreServerCounters counters;

	private final BooleanSupplier closed;

	private final @Nullable HistoryPages history;

	private final StateMachine machine;

	private final CommandLog log;

	private final Proposer proposer;

	private final Connections connections;

	private final ClientWatches watches;

	private final RequestHandler handler;

	private final AdministrationHandler administration;

	private final ExpiryTimer expiryTimer;

	private final SessionLog sessionLog;

	/**
	 * Opens a store.
	 * @param options options with a scheduler
	 * @param opener opens the state machine and the log
	 * @param serial the serial executor
	 * @param counters receives the store's sizes
	 * @param access checks clients' permissions
	 * @param closed returns whether the server is closed or has failed
	 */
	ServingStore(StateStoreServerOptions options, ServerTuning tuning,
			BiFunction<ChangeListener, Runnable, OpenedStore> opener, SerialExecutor serial,
			StateStoreServerCounters counters, KeyAccess access, BooleanSupplier closed) {
		this.counters = counters;
		this.closed = closed;
		Watches watches = new Watches();
		Messages messages = new Messages(options.protocolDialect());
		WatcherAccess watchers = new WatcherAccess(watches, access);
		OpenedStore store = null;
		try {
			store = opener.apply(new ChangePublisher(watches, watchers, messages), this::batchFinished);
			this.machine = store.machine();
			this.log = store.log();
			StoreHistory history = store.history();
			this.history = (history != null) ? new HistoryPages(history) : null;
			this.proposer = new Proposer(this.log, this.machine, new LogClock(store.logTime(), options.nanoClock()),
					options);
			this.connections = new Connections(this.log);
			this.watches = new ClientWatches(watches, watchers, this.proposer, messages, counters);
			Admission admission = new Admission(this.log, this.connections, counters);
			this.handler = new RequestHandler(options.nanoClock(), this.proposer, admission, access, this.watches,
					messages, counters);
			this.administration = new AdministrationHandler(this.proposer, admission, watches, counters,
					new DeferredRequests(serial, access, this.history),
					new Backups(this.machine, options, tuning.maxHeld()));
			ScheduledExecutorService scheduler = Objects.requireNonNull(options.scheduler());
			this.expiryTimer = new ExpiryTimer(this.proposer, serial, scheduler, options.time(), this::measure);
			this.sessionLog = new StoreSessionLog(this.proposer, serial, closed, tuning.maxHeld());
			this.log.start();
		}
		catch (RuntimeException | Error ex) {
			if (store != null) {
				store.abandon().run();
			}
			throw ex;
		}
	}

	/**
	 * Appends the start of a leader. Retries until it is applied or the store ends.
	 * @param timer schedules retries
	 * @param ready called once the start is applied
	 */
	void lead(RetryTimer timer, Runnable ready) {
		if (!this.closed.getAsBoolean()) {
			this.proposer.start(ready, () -> timer.schedule(() -> lead(timer, ready)));
		}
	}

	void connected(ClientConnection connection) {
		this.connections.add(connection);
		measure();
	}

	void disconnected(ClientConnection connection) {
		inOrder(connection, () -> {
			this.connections.remove(connection);
			this.administration.disconnected(connection);
			this.watches.disconnected(connection);
		});
	}

	void startAfter(Version last) {
		this.proposer.startAfter(last);
	}

	void resume(ClientConnection connection, Bytes key) {
		inOrder(connection, () -> this.watches.resume(connection, key));
	}

	void renotify(ClientConnection connection, Bytes key) {
		inOrder(connection, () -> this.watches.renotify(connection, key));
	}

	private void inOrder(ClientConnection connection, Runnable action) {
		this.connections.inOrder(connection, 0, () -> {
			action.run();
			measure();
		});
	}

	/**
	 * Handles a request.
	 * @param request the request as received
	 * @param call the decoded request, or {@code null} if it cannot be answered
	 * @param arrival when the request arrived, in nanoseconds
	 * @param now the current time, in nanoseconds
	 */
	void handle(IncomingRequest request, @Nullable Call call, long arrival, long now) {
		try {
			this.handler.handle(request, call, arrival, now);
		}
		catch (RuntimeException ex) {
			logger.error("Failed to handle a request of client '{}'. This is a bug: report it with this stack trace",
					request.connection().clientId(), ex);
			RequestHandler.acknowledge(request, ReasonCodes.UNSPECIFIED);
		}
		batchFinished();
	}

	/**
	 * Handles an administration request.
	 * @param request the request as received
	 * @param call the decoded request, or {@code null} if it cannot be answered
	 * @param waited the time since the request arrived, in nanoseconds
	 * @param cluster this server's cluster, or {@code null} if it is not a cluster node
	 * @param sessions this server's MQTT sessions, or {@code null} if it has none
	 */
	void administer(IncomingRequest request, @Nullable AdministrationCall call, long waited,
			@Nullable ClusterOperations cluster, @Nullable SessionOperations sessions) {
		this.administration.handle(request, call, waited, cluster, sessions);
	}

	/** Called after entries have been applied. */
	void batchFinished() {
		if (!this.closed.getAsBoolean()) {
			this.expiryTimer.update();
			if (this.machine.hasSnapshot()) {
				this.administration.applied();
			}
		}
		measure();
	}

	private void measure() {
		this.counters.measure(this.machine, this.watches, this.connections);
	}

	/**
	 * Stops expiring keys, and ends backups and the log.
	 * @param keepLogTime whether to append the log time so that the next process
	 * continues there; {@code false} after an error
	 */
	void end(boolean keepLogTime) {
		this.expiryTimer.close();
		this.administration.end();
		if (keepLogTime && this.log.isDurable() && !this.log.isReplicated()) {
			this.proposer.expire(List.of(), 0, this::measure, this::measure);
		}
		this.log.end();
	}

	/**
	 * Returns the session log. Thread-safe.
	 * @return the log, {@code null} if this store does not keep sessions
	 */
	@Nullable SessionLog sessionLog() {
		return this.log.isDurable() ? this.sessionLog : null;
	}

	/** Returns statistics of the log. Thread-safe. */
	Optional<DurabilityStatistics> durability() {
		return this.log.durability();
	}

	/**
	 * Waits until all changes are in the directory. Must be called outside the serial
	 * executor.
	 */
	@Override
	public void close() {
		if (this.history != null) {
			this.history.close();
		}
		this.log.close();
	}

}
