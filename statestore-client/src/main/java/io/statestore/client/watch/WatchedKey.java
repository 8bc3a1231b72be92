package io.statestore.client.watch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.internal.SerialEvents;
import io.statestore.client.watch.KeyMachine.State;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Runs the {@link KeyMachine} of one key: passes it events from any thread, one at a time
 * in the order of their arrival, and performs its actions. Events are short and never
 * block, so they run on a thread that submits one. Safe for use by several threads.
 */
final class WatchedKey implements KeyMachine.Actions {

	/** Id of the latest local write. */
	private final AtomicLong localWrites = new AtomicLong();

	private final List<DefaultKeyWatch> watches = new CopyOnWriteArrayList<>();

	private final Key key;

	private final SerialEvents events;

	private final CommandGate gate;

	private final FailureLog failureLog;

	private final WatchTiming timing;

	private final Runnable onIdle;

	private final KeyMachine machine;

	/** Cancels the scheduled tick. Accessed by events only. */
	private Runnable cancelTick = () -> {
	};

	private volatile State state = State.IDLE;

	private volatile boolean active;

	/** Version of the last known value or deletion. */
	private volatile @Nullable Version version;

	/**
	 * Creates a watched key without listeners.
	 * @param onIdle called when the store has no watch of the key
	 */
	WatchedKey(Key key, CommandGate gate, FailureLog failureLog, WatchTiming timing, Runnable onIdle) {
		this.key = key;
		this.events = new SerialEvents(key, (failure) -> {
			// The next event may succeed.
		});
		this.gate = gate;
		this.failureLog = failureLog;
		this.timing = timing;
		this.onIdle = onIdle;
		this.machine = new KeyMachine(key, timing, this);
	}

	Key key() {
		return this.key;
	}

	/** Adds a watch, which is still to be attached. */
	void add(DefaultKeyWatch watch) {
		this.watches.add(watch);
	}

	/** Removes a watch, which is still to be detached. */
	void remove(DefaultKeyWatch watch) {
		this.watches.remove(watch);
	}

	List<DefaultKeyWatch> watches() {
		return this.watches;
	}

	/** Returns whether there is no listener, and no watch in the store. */
	boolean isUnused() {
		return this.watches.isEmpty() && this.state == State.IDLE;
	}

	/** Returns whether changes arrive now, which they also do during a renewal. */
	boolean isActive() {
		return this.active;
	}

	/** Returns the version of the last known value or deletion, if any. */
	@Nullable Version version() {
		return this.version;
	}

	/** Returns the names of the listeners. */
	List<String> listeners() {
		return this.watches.stream().map((watch) -> watch.settings().id()).toList();
	}

	/** Returns whether a listener ignores local writes. */
	boolean ignoresLocalWrites() {
		return this.watches.stream().anyMatch((watch) -> watch.settings().noLocal());
	}

	/** Notifies all watches of a refusal by the broker or the store. */
	void refused(StateStoreException reason) {
		this.watches.forEach((watch) -> watch.refused(reason));
	}

	/**
	 * Starts tracking a local write, before it is sent.
	 * @return the id of the write
	 */
	long localWriteStarted() {
		long id = this.localWrites.incrementAndGet();
		submit((machine) -> machine.localWriteStarted(id));
		return id;
	}

	/** Processes an event on this thread, or on the thread that is processing events. */
	void submit(Consumer<KeyMachine> event) {
		this.events.submit(() -> {
			try {
				event.accept(this.machine);
			}
			finally {
				this.version = this.machine.version();
				if (this.state == State.IDLE) {
					this.onIdle.run();
				}
			}
		});
	}

	@Override
	public void entered(State state) {
		this.cancelTick.run();
		this.state = state;
		switch (state) {
			case OBSERVING -> this.active = true;
			case REGISTERING, READING -> {
				// A renewal keeps the watch active.
			}
			case IDLE, DISCONNECTED, WAITING, STOPPING -> {
				this.active = false;
				this.watches.forEach(DefaultKeyWatch::interrupted);
			}
		}
	}

	/** Returns whether a lock depends on this watch. */
	private boolean isUrgent() {
		return this.watches.stream().anyMatch((watch) -> watch.settings().urgent());
	}

	@Override
	public void send(Command command, int step) {
		BiConsumer<@Nullable Response, @Nullable Throwable> callback = (response, failure) -> submit((machine) -> {
			if (response != null) {
				machine.replied(step, response);
			}
			else {
				machine.failed(step, (failure != null) ? failure : new NullPointerException());
			}
		});
		if (isUrgent()) {
			this.gate.submitUrgently(command, callback);
		}
		else {
			this.gate.submit(command, callback);
		}
	}

	@Override
	public void schedule(Duration delay, int step) {
		this.cancelTick = this.timing.timer().schedule(delay, () -> submit((machine) -> machine.tick(step)));
	}

	@Override
	public void failed(String command, Throwable reason, Duration delay) {
		this.failureLog.failed(command, this.key, reason, delay);
		if (reason instanceof StateStoreRefusedException refusal) {
			refused(refusal);
		}
	}

}
