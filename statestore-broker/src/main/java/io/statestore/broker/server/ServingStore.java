package io.statestore.broker.server;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of a server: its state machine, log, and connections. Used within the serial
 * executor, except where noted.
 */
final class ServingStore implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ServingStore.class);

	private final StateStoreServerCounters counters;

	private final BooleanSupplier closed;

	private final @Nullable ChangeFeed feed;

	private final StateMachine machine;

	private final CommandLog log;

	private final Proposer proposer;

	private final Connections connections;

	private final ClientObservations observations;

	private final RequestHandler handler;

	private final AdministrationHandler administration;

	private final ExpiryTimer expiryTimer;

	/**
	 * Creates an empty store, or recovers one from its directory.
	 * @param serial the serial executor
	 * @param scheduler runs expiries and slices of the content for the journal
	 * @param counters receives the sizes of the store
	 * @param access checks the permissions of clients
	 * @param closed returns whether the server is closed or has failed
	 * @param onError receives an error, after which the store must not be used
	 */
	ServingStore(StateStoreServerOptions options, ServerTuning tuning, SerialExecutor serial,
			ScheduledExecutorService scheduler, StateStoreServerCounters counters, KeyAccess access,
			BooleanSupplier closed, Consumer<Error> onError) {
		this.counters = counters;
		this.closed = closed;
		ChangeJournal journal = options.journal();
		this.feed = (journal != null) ? new ChangeFeed(journal, tuning.maxHeld()) : null;
		Observations observations = new Observations();
		Messages messages = new Messages(options.wireForm());
		ObserverAccess observers = new ObserverAccess(observations, access);
		ChangePublisher publisher = new ChangePublisher(observations, observers, messages, this.feed);
		StoreStart start = new StoreStart(options, this.feed);
		StorageOptions storage = options.storage();
		Recovery recovery = null;
		try {
			if (storage != null) {
				recovery = start.recover(storage, tuning, publisher);
				this.machine = recovery.machine();
				this.log = new FileCommandLog(storage, recovery, serial, tuning, this.feed, this::batchFinished,
						onError);
			}
			else {
				this.machine = start.inMemory(publisher);
				this.log = new MemoryCommandLog(new EntryApplier(this.machine));
			}
			LogClock logClock = new LogClock(this.machine.logTime(), options.nanoClock());
			this.proposer = new Proposer(this.log, this.machine, logClock, options);
			this.connections = new Connections(this.log);
			this.observations = new ClientObservations(observations, observers, this.machine, this.proposer, messages,
					counters);
			Admission admission = new Admission(this.log, this.connections, counters);
			this.handler = new RequestHandler(this.machine, options.nanoClock(), this.log, logClock, this.proposer,
					this.connections, admission, access, this.observations, messages, counters);
			this.administration = new AdministrationHandler(this.machine, logClock, this.connections, admission,
					observations, counters);
			this.expiryTimer = new ExpiryTimer(this.machine, this.log, logClock, this.proposer, serial, scheduler,
					options.time(), this::measure);
			if (this.feed != null) {
				// One slice at a time: neither the journal nor a client runs several.
				this.feed.start(this.machine, (task) -> scheduler.execute(() -> serial.execute(task)), start.hasGap());
			}
			this.log.start();
		}
		catch (RuntimeException | Error ex) {
			abandon(this.feed, recovery);
			throw ex;
		}
	}

	/** Ends a failed start. The next one writes the same changes to the journal. */
	private static void abandon(@Nullable ChangeFeed feed, @Nullable Recovery recovery) {
		if (feed != null) {
			feed.discard();
		}
		if (recovery != null) {
			recovery.log().close();
		}
	}

	void connected(ClientConnection connection) {
		this.connections.add(connection);
		measure();
	}

	void disconnected(ClientConnection connection) {
		inOrder(connection, () -> {
			this.connections.remove(connection);
			this.observations.disconnected(connection);
		});
	}

	void startAfter(Version last) {
		this.proposer.startAfter(last);
	}

	void resume(ClientConnection connection, Bytes key) {
		inOrder(connection, () -> this.observations.resume(connection, key));
	}

	void renotify(ClientConnection connection, Bytes key) {
		inOrder(connection, () -> this.observations.renotify(connection, key));
	}

	private void inOrder(ClientConnection connection, Runnable action) {
		this.connections.inOrder(connection, 0, () -> {
			action.run();
			measure();
		});
	}

	/**
	 * Handles a request.
	 * @param request the request
	 * @param call the decoded request, or {@code null} if it cannot be answered
	 * @param arrival the time of arrival in nanoseconds
	 * @param now the current time in nanoseconds
	 */
	void handle(IncomingRequest request, @Nullable Call call, long arrival, long now) {
		try {
			this.handler.handle(request, call, arrival, now);
		}
		catch (RuntimeException ex) {
			logger.error("A request failed", ex);
			RequestHandler.acknowledge(request, ReasonCodes.UNSPECIFIED);
		}
		batchFinished();
	}

	/**
	 * Handles an administration request.
	 * @param request the request
	 * @param call the decoded request, or {@code null} if it cannot be answered
	 * @param waited the time since the arrival of the request in nanoseconds
	 */
	void administer(IncomingRequest request, @Nullable AdministrationCall call, long waited) {
		this.administration.handle(request, call, waited);
	}

	/** Called when entries were applied. */
	void batchFinished() {
		if (!this.closed.getAsBoolean()) {
			this.expiryTimer.update();
		}
		measure();
	}

	private void measure() {
		this.counters.measure(this.machine, this.observations, this.connections);
	}

	/**
	 * Ends the expiry of keys, and the log after the entries that wait.
	 * @param healthy whether to keep the log time of this process
	 */
	void end(boolean healthy) {
		this.expiryTimer.close();
		if (healthy && this.log.isDurable()) {
			this.proposer.expire(List.of(), 0, this::measure, this::measure);
		}
		this.log.end();
	}

	/** Returns figures of the log. Thread-safe. */
	Optional<DurabilityStatistics> durability() {
		return this.log.durability();
	}

	/**
	 * Waits until the directory and the journal have all changes. Called outside the
	 * serial executor.
	 */
	@Override
	public void close() {
		this.log.close();
		if (this.feed != null) {
			this.feed.close();
		}
	}

}
