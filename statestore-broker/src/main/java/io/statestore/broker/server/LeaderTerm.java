package io.statestore.broker.server;

import java.util.Objects;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.StateMachine;
import io.statestore.broker.history.StoreHistory;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A term in which a replica serves clients. Used only within the serial executor, except
 * for {@link #server()}.
 */
final class LeaderTerm {

	private final SerialExecutor serial;

	private final StateMachine machine;

	private final ReplicatedLog replicatedLog;

	private final RetryTimer timer;

	private final long logTime;

	private final long maxHeld;

	private final @Nullable StoreHistory history;

	private final StateStoreServer server;

	/** Listener of the server, set when its constructor opens the store. */
	private @Nullable ChangeListener listener;

	/** Sink of the server, set when its constructor opens the store. */
	private @Nullable ReplicatedSink sink;

	/**
	 * Creates a server.
	 * @param options options with a scheduler
	 * @param machine the state machine of the replica
	 * @param logTime the current log time in nanoseconds
	 * @param log the log of the consensus
	 * @param history the history of the replica, or {@code null} if none is kept
	 */
	LeaderTerm(StateStoreServerOptions options, ServerTuning tuning, SerialExecutor serial,
			StateStoreServerCounters counters, StateMachine machine, long logTime, ReplicatedLog log,
			@Nullable StoreHistory history) {
		this.serial = serial;
		this.machine = machine;
		this.replicatedLog = log;
		this.timer = new RetryTimer(serial, options.time().timer(Objects.requireNonNull(options.scheduler())));
		this.logTime = logTime;
		this.maxHeld = tuning.maxHeld();
		this.history = history;
		this.server = new StateStoreServer(options, tuning, serial, counters, this::open);
	}

	private OpenedStore open(ChangeListener listener, Runnable batchFinished) {
		ReplicatedSink sink = new ReplicatedSink(this.replicatedLog, this.serial, this.timer);
		CommandLog log = new CommandLog(this.machine, sink, this.maxHeld, batchFinished);
		this.listener = listener;
		this.sink = sink;
		return new OpenedStore(this.machine, log, this.logTime, this.history, log::end);
	}

	/**
	 * Appends the first entry, or one with which the nodes begin to keep MQTT sessions.
	 * @param keepsSessions whether all nodes know entries of sessions
	 * @param ready called once it is applied
	 */
	void start(boolean keepsSessions, Runnable ready) {
		this.server.lead(keepsSessions, this.timer, ready);
	}

	StateStoreServer server() {
		return this.server;
	}

	/**
	 * Applies a batch, if it is one of this leadership that is not applied.
	 * @return whether the batch was applied
	 */
	boolean apply(Batch batch) {
		ReplicatedSink sink = Objects.requireNonNull(this.sink);
		if (!sink.contains(batch)) {
			return false;
		}
		sink.committed(batch);
		return true;
	}

	/** Called when entries of an earlier term of this node were applied. */
	void applied() {
		this.server.applied();
	}

	/** Passes a change to the watchers. */
	void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		Objects.requireNonNull(this.listener).changed(key, value, version, author);
	}

	/** Ends the server. Requests that wait get no reply. */
	void end() {
		this.server.depose();
	}

}
