package io.statestore.client.observation;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.observation.KeyMachine.State;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the {@link KeyMachine} of one key: passes it events from any thread, one at a time
 * in the order of their arrival, and performs its actions. Events are short and never
 * block, so they run on a thread that submits one. Safe for use by several threads.
 */
final class ObservedKey implements KeyMachine.Actions {

	private static final Logger logger = LoggerFactory.getLogger(ObservedKey.class);

	private final Queue<Consumer<KeyMachine>> events = new ConcurrentLinkedQueue<>();

	/** Events submitted and not yet processed. */
	private final AtomicInteger eventCount = new AtomicInteger();

	/** Id of the latest local write. */
	private final AtomicLong localWrites = new AtomicLong();

	private final List<DefaultKeyObservation> observations = new CopyOnWriteArrayList<>();

	private final Key key;

	private final CommandGate gate;

	private final FailureLog failureLog;

	private final ObservationTiming timing;

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
	 * Creates an observed key without listeners.
	 * @param onIdle called when the store has no observation of the key
	 */
	ObservedKey(Key key, CommandGate gate, FailureLog failureLog, ObservationTiming timing, Runnable onIdle) {
		this.key = key;
		this.gate = gate;
		this.failureLog = failureLog;
		this.timing = timing;
		this.onIdle = onIdle;
		this.machine = new KeyMachine(key, this);
	}

	Key key() {
		return this.key;
	}

	/** Adds an observation, which is still to be attached. */
	void add(DefaultKeyObservation observation) {
		this.observations.add(observation);
	}

	/** Removes an observation, which is still to be detached. */
	void remove(DefaultKeyObservation observation) {
		this.observations.remove(observation);
	}

	List<DefaultKeyObservation> observations() {
		return this.observations;
	}

	/** Returns whether there is no listener, and no observation in the store. */
	boolean isUnused() {
		return this.observations.isEmpty() && this.state == State.IDLE;
	}

	/** Returns whether changes arrive now, which they also do during a renewal. */
	boolean isActive() {
		return this.active;
	}

	/** Returns the key as an operator sees it. */
	ObservationStatus status() {
		return new ObservationStatus(this.key, this.active, this.version,
				this.observations.stream().map(DefaultKeyObservation::id).toList());
	}

	/** Returns whether a listener ignores local writes. */
	boolean ignoresLocalWrites() {
		return this.observations.stream().anyMatch(DefaultKeyObservation::ignoresLocalWrites);
	}

	/** Notifies all observations of a refusal by the broker or the store. */
	void refused(StateStoreException reason) {
		this.observations.forEach((observation) -> observation.refused(reason));
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
		this.events.add(event);
		if (this.eventCount.getAndIncrement() > 0) {
			return;
		}
		do {
			process(this.events.remove());
		}
		while (this.eventCount.decrementAndGet() > 0);
	}

	private void process(Consumer<KeyMachine> event) {
		try {
			event.accept(this.machine);
		}
		catch (RuntimeException | Error ex) {
			logger.error("The observation of key {} failed to process an event", this.key, ex);
		}
		this.version = this.machine.version();
		if (this.state == State.IDLE) {
			this.onIdle.run();
		}
	}

	@Override
	public void entered(State state) {
		this.state = state;
		switch (state) {
			case OBSERVING -> this.active = true;
			case REGISTERING, READING -> {
				// A renewal keeps the observation active.
			}
			case IDLE, DISCONNECTED, WAITING, STOPPING -> {
				this.active = false;
				this.observations.forEach(DefaultKeyObservation::interrupted);
			}
		}
	}

	/** Returns whether a lock depends on this observation. */
	private boolean isUrgent() {
		return this.observations.stream().anyMatch(DefaultKeyObservation::isUrgent);
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
		cancelTick();
		this.cancelTick = this.timing.timer().schedule(delay, () -> submit((machine) -> machine.tick(step)));
	}

	@Override
	public void cancelTick() {
		this.cancelTick.run();
	}

	@Override
	public void failed(String command, Throwable reason, Duration delay) {
		this.failureLog.failed(command, this.key, reason, delay);
		if (reason instanceof StateStoreRefusedException refusal) {
			refused(refusal);
		}
	}

	@Override
	public Duration retryDelay(int failures) {
		return this.timing.retryDelay(failures);
	}

	@Override
	public Duration renewalDelay() {
		return this.timing.renewalDelay();
	}

}
