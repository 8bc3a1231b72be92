package io.statestore.broker.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.engine.StateSnapshot;
import io.statestore.broker.history.HistoryLog;
import io.statestore.broker.history.StoreHistory;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster node's copy of the store, which exists for the life of the node. It applies
 * the entries that consensus has committed. While its node leads, a
 * {@link StateStoreServer} serves clients from it.
 * <p>
 * {@link #apply}, {@link #snapshot}, {@link #restore}, {@link #lead}, and {@link #follow}
 * are called by one thread at a time, the consensus thread. They wait for requests in
 * progress, but not for the network or a disk. Once a task has thrown an error, for
 * example because memory is exhausted or the state machine has thrown an exception, the
 * copy may be incomplete. These methods then throw an {@link IllegalStateException}, and
 * the node must leave the cluster.
 */
public final class Replica implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Replica.class);

	private final StateStoreServerOptions options;

	private final ServerTuning tuning;

	private final ScheduledExecutorService scheduler;

	private final boolean ownsScheduler;

	private final SerialExecutor serial;

	private final Consumer<Error> onError;

	private final ReplicaLimits limits;

	private final StateStoreServerCounters counters = new StateStoreServerCounters();

	private final CompletableFuture<Error> failure = new CompletableFuture<>();

	private final SharedRequesters requesters = new SharedRequesters();

	private final ReplicaSnapshots snapshots;

	private StateMachine machine;

	private @Nullable HistoryLog historyLog;

	/**
	 * History since the first entry or snapshot, {@code null} before that or if no
	 * history is kept.
	 */
	private @Nullable StoreHistory history;

	/** Whether the history cannot be kept until this node is restarted. */
	private boolean historyLost;

	/**
	 * Term in which this node leads, {@code null} on a follower. Set within the serial
	 * executor.
	 */
	private volatile @Nullable LeaderTerm leaderTerm;

	/** Monotonic clock reading after the last entry. */
	private long appliedAt;

	/** Whether restoring a snapshot is in progress or has failed. */
	private boolean incomplete;

	/**
	 * Creates an empty replica, which is a follower.
	 * @param options the options, without a directory, because the consensus
	 * implementation stores the data
	 * @param memory memory for the content, in bytes. Content that exceeds it stops the
	 * replica, because another node's limits permit more than this node can hold
	 * @param onError called with the first error that a task throws. The node must then
	 * leave the cluster
	 * @throws IllegalArgumentException if the options have a directory
	 */
	public Replica(StateStoreServerOptions options, long memory, Consumer<Error> onError) {
		this(options, ServerTuning.ofThisJvm(), memory, onError);
	}

	/**
	 * Creates an empty replica.
	 * @param tuning sizes that only tests change
	 */
	Replica(StateStoreServerOptions options, ServerTuning tuning, long memory, Consumer<Error> onError) {
		if (options.storage() != null) {
			throw new IllegalArgumentException("'storage' must be null: the consensus keeps the data");
		}
		this.tuning = tuning;
		this.onError = onError;
		this.limits = new ReplicaLimits(options, memory);
		ScheduledExecutorService given = options.scheduler();
		this.ownsScheduler = given == null;
		this.scheduler = (given != null) ? given : StateStoreServer.newScheduler();
		this.options = options.withScheduler(this.scheduler);
		this.serial = new SerialExecutor(this.scheduler, this::fail);
		this.snapshots = new ReplicaSnapshots(this.serial, tuning.maxHeld() / 2);
		this.machine = new StateMachine(this::changed);
		this.appliedAt = options.nanoClock().getAsLong();
	}

	/**
	 * Keeps a history of all changes. Call this before the first entry or snapshot, and
	 * again after the log is reopened.
	 * @param log the consensus log
	 */
	public void keepHistory(HistoryLog log) {
		this.historyLog = log;
		if (this.history != null) {
			this.history.reopened(log);
		}
	}

	/**
	 * Returns the history, {@code null} if none is kept. If it has not begun, begins it
	 * at the start of the log, before the first entry.
	 */
	private @Nullable StoreHistory ensureHistory() {
		if (this.history == null) {
			beginHistory(0, null);
		}
		return this.history;
	}

	private void beginHistory(long base, @Nullable Path snapshot) {
		HistoryLog log = this.historyLog;
		if (log == null || this.historyLost) {
			return;
		}
		try {
			StoreHistory history = new StoreHistory(log, base);
			if (snapshot != null) {
				log.past().keep(snapshot);
			}
			history.recordChangesOf(this.machine);
			this.history = history;
			// Uses a separate thread, because the scheduler executes requests.
			Thread thread = new Thread(history::compact, "statestore-history");
			thread.setDaemon(true);
			thread.start();
		}
		catch (IOException ex) {
			this.historyLost = true;
			logger.error("This node keeps no history, because it cannot write to its directory. Check the space on "
					+ "its disk, then restart it", ex);
		}
	}

	private void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		if (this.history != null) {
			this.history.changed(key, value, version, author);
		}
		LeaderTerm leaderTerm = this.leaderTerm;
		if (leaderTerm != null) {
			leaderTerm.listener.changed(key, value, version, author);
		}
	}

	private void fail(Error error) {
		try {
			// Completed first, because a leader that does not serve requests must not
			// keep leading.
			this.failure.complete(error);
			LeaderTerm leaderTerm = this.leaderTerm;
			if (leaderTerm != null) {
				leaderTerm.server.fail(error);
			}
		}
		finally {
			this.onError.accept(error);
		}
	}

	/**
	 * Returns the first error that a task throws, after which the node must leave the
	 * cluster.
	 * @return completes normally with the error, on the task's thread, which must not be
	 * blocked
	 */
	public CompletableFuture<Error> failure() {
		return this.failure.copy();
	}

	private void call(Runnable task) {
		if (!this.serial.call(task)) {
			throw new IllegalStateException("The copy of the store on this node has failed. Restart the node");
		}
	}

	/**
	 * Applies an entry. When this method returns, its commands have been applied and
	 * their replies have been passed to the connections.
	 * @param index index of the entry
	 * @param term term of the entry
	 * @param entry the entry, valid only during the call
	 * @param batch the batch that this node passed to {@link ReplicatedLog#propose} with
	 * the entry, or {@code null} for an entry from another node or an earlier term
	 * @throws io.statestore.broker.codec.StateFormatException if the entry has a newer
	 * format, or is malformed. The node must leave the cluster
	 */
	public void apply(long index, long term, ByteBuffer entry, @Nullable Object batch) {
		Batch own = (batch instanceof Batch proposed) ? proposed : null;
		// Decoded here, outside the serial executor.
		List<LogEntry> decoded = (own == null) ? decode(entry) : null;
		call(() -> {
			if (this.incomplete) {
				throw new IllegalStateException("The copy of the store on this node is incomplete. Restart the node");
			}
			StoreHistory history = ensureHistory();
			if (history != null) {
				history.applying(index, term);
			}
			LeaderTerm leaderTerm = this.leaderTerm;
			if (own == null || leaderTerm == null || !leaderTerm.sink.committed(own)) {
				applyDecoded((decoded != null) ? decoded : decode(entry), batch == null);
			}
			this.appliedAt = this.options.nanoClock().getAsLong();
			this.snapshots.limit();
			this.limits.check(this.machine);
		});
	}

	/**
	 * Returns the store entries in a consensus entry.
	 * @param entry the consensus entry, whose position does not change
	 * @return the store entries, which share the consensus entry's memory
	 * @throws io.statestore.broker.codec.StateFormatException if the entry has a newer
	 * format, or is malformed
	 */
	public static List<ByteBuffer> entries(ByteBuffer entry) {
		return ReplicatedEntry.split(entry);
	}

	private List<LogEntry> decode(ByteBuffer entry) {
		return ReplicatedEntry.decode(entry, this.requesters::share);
	}

	private void applyDecoded(List<LogEntry> entries, boolean foreign) {
		if (foreign) {
			// Another node already leads, but this node has not been notified yet.
			endLeadership();
		}
		entries.forEach(this.machine::apply);
		LeaderTerm leaderTerm = this.leaderTerm;
		if (leaderTerm != null) {
			leaderTerm.server.applied();
		}
		else {
			this.counters.measure(this.machine);
		}
	}

	/**
	 * Returns the current state, which can be written while more entries are applied.
	 * Ends an earlier snapshot that is still unwritten. Writing fails while a client is
	 * reading a backup.
	 * @return a snapshot of the state
	 */
	public Snapshot snapshot() {
		AtomicReference<@Nullable StateSnapshot> begun = new AtomicReference<>();
		call(() -> begun.set(beginSnapshot()));
		StateSnapshot snapshot = begun.get();
		if (snapshot == null) {
			return (output) -> {
				throw new IOException(
						"The store is empty, so there is nothing to write yet, or a client reads a backup of it");
			};
		}
		StoreHistory history = this.history;
		return new Snapshot() {

			@Override
			public void write(OutputStream output) throws IOException {
				try {
					Replica.this.snapshots.write(snapshot, output);
				}
				catch (IOException ex) {
					if (history != null) {
						// Old files may occupy space that the snapshot needs.
						history.compact();
					}
					throw ex;
				}
			}

			@Override
			public void written(long index, Path file) throws IOException {
				if (history != null) {
					history.continueBehind(index, file, Replica.this.serial::call);
				}
			}

		};
	}

	/**
	 * Begins a snapshot. Returns {@code null} if the store is empty or a client is
	 * reading a backup.
	 */
	private @Nullable StateSnapshot beginSnapshot() {
		this.snapshots.end();
		if (!this.machine.isStarted() || this.machine.hasSnapshot()) {
			return null;
		}
		StateSnapshot snapshot = this.snapshots.begin(this.machine);
		if (this.history != null) {
			this.history.cut();
		}
		return snapshot;
	}

	/**
	 * Replaces a follower's state with a snapshot. Releases the previous state first, so
	 * that memory does not have to hold both. If this fails, the node must leave the
	 * cluster.
	 * @param index index of the last entry whose effect the snapshot contains
	 * @param file the snapshot file, which the history keeps. May be {@code null} if
	 * there is no history
	 * @param input the bytes that {@link Snapshot#write} wrote
	 * @throws IOException if the input cannot be read
	 * @throws io.statestore.broker.codec.StateFormatException if the snapshot has a newer
	 * format, or is malformed
	 */
	public void restore(long index, @Nullable Path file, InputStream input) throws IOException {
		follow();
		if (this.history != null) {
			this.history.end();
		}
		call(() -> {
			this.incomplete = true;
			this.snapshots.end();
			replace(new StateMachine(this::changed));
		});
		StateMachine restored = StateMachine.restore(input, this::changed);
		call(() -> {
			replace(restored);
			beginHistory(index, file);
			this.incomplete = false;
			this.limits.check(restored);
		});
	}

	private void replace(StateMachine machine) {
		this.history = null;
		this.machine = machine;
		this.appliedAt = this.options.nanoClock().getAsLong();
		this.counters.measure(machine);
	}

	/**
	 * Begins serving clients. Called when this node has become the leader and has applied
	 * all entries from earlier leaders. Does not wait for this leader's first entry.
	 * @param log the log for this leadership term
	 * @param ready called once the first entry, which contains this node's limits, is
	 * applied. Not called if the leadership ends earlier. Must not block
	 * @return the server, which is closed by {@link #follow()} at the latest. It must not
	 * receive requests before {@code ready} is called
	 * @throws IllegalStateException if this replica already leads or has failed
	 */
	public StateStoreServer lead(ReplicatedLog log, Runnable ready) {
		call(() -> {
			if (this.leaderTerm != null) {
				throw new IllegalStateException("This node leads already");
			}
			LeaderTerm begun = begin(log, logTime(), ensureHistory());
			this.leaderTerm = begun;
			begun.server.lead(begun.timer, ready);
		});
		return Objects.requireNonNull(this.leaderTerm).server;
	}

	private LeaderTerm begin(ReplicatedLog log, long logTime, @Nullable StoreHistory history) {
		RetryTimer timer = new RetryTimer(this.serial, this.options.time().timer(this.scheduler));
		ReplicatedSink sink = new ReplicatedSink(log, this.serial, timer);
		AtomicReference<@Nullable ChangeListener> listener = new AtomicReference<>();
		StateStoreServer server = new StateStoreServer(this.options, this.tuning, this.serial, this.counters,
				(changes, batchFinished) -> {
					listener.set(changes);
					CommandLog entries = new CommandLog(this.machine, sink, this.tuning.maxHeld(), batchFinished);
					return new OpenedStore(this.machine, entries, logTime, history, entries::end);
				});
		return new LeaderTerm(server, sink, timer, Objects.requireNonNull(listener.get()));
	}

	/**
	 * Returns the log time at which a leader continues: the last entry's log time, plus
	 * the time since this node applied that entry. The earlier leader stamped the entry
	 * before it was applied here, so no key expires early.
	 */
	private long logTime() {
		return this.machine.logTime() + Math.max(0, this.options.nanoClock().getAsLong() - this.appliedAt);
	}

	/**
	 * Ends the server for this leadership. Requests without an outcome are neither
	 * answered nor acknowledged, because a later leader may execute them. Has no effect
	 * on a follower or after an error.
	 */
	public void follow() {
		this.serial.call(this::endLeadership);
	}

	private void endLeadership() {
		LeaderTerm leaderTerm = this.leaderTerm;
		if (leaderTerm != null) {
			this.leaderTerm = null;
			leaderTerm.server.depose();
			this.counters.measure(this.machine);
		}
	}

	/**
	 * Returns statistics on this copy's content and on the requests that this node has
	 * served. Thread-safe. Never blocks, even after an error.
	 * @return a snapshot
	 */
	public StoreStatistics statistics() {
		return this.counters.statistics(this.options.quota(), this.options.replyMemory());
	}

	/** Ends the server, if any. Must be called after the consensus has ended. */
	@Override
	public void close() {
		follow();
		if (this.ownsScheduler) {
			this.scheduler.shutdown();
		}
	}

	/**
	 * A term in which this replica serves clients.
	 *
	 * @param listener passes changes to the watchers
	 */
	private record LeaderTerm(StateStoreServer server, ReplicatedSink sink, RetryTimer timer, ChangeListener listener) {
	}

	/** A state at one point in time. */
	@FunctionalInterface
	public interface Snapshot {

		/**
		 * Writes the state. Called at most once, on any thread except the consensus
		 * thread.
		 * @param output the target
		 * @throws IOException if writing fails, or if the snapshot was ended because it
		 * held too much memory or because another snapshot has begun
		 */
		void write(OutputStream output) throws IOException;

		/**
		 * Called when the snapshot is on disk, before it replaces entries.
		 * @param index index of the last entry whose effect the snapshot contains
		 * @param file the snapshot file
		 * @throws IOException if the history cannot be continued with the snapshot
		 */
		default void written(long index, Path file) throws IOException {
		}

	}

}
