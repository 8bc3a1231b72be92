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
import io.statestore.client.KeyObserver.Settings;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.observation.KeyMachine.State;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the {@link KeyMachine} of one key: feeds it events from any thread, one at a
 * time in the order they came, and does what it asks for. An event is short and never
 * blocks, so it runs on a thread that brings one.
 */
final class ObservedKey implements KeyMachine.Actions {

	private static final Logger logger = LoggerFactory.getLogger(ObservedKey.class);

	private final Queue<Consumer<KeyMachine>> events = new ConcurrentLinkedQueue<>();

	private final AtomicInteger eventCount = new AtomicInteger();

	private final AtomicLong ownWrites = new AtomicLong();

	private final List<ListenerHandle> handles = new CopyOnWriteArrayList<>();

	private final Key key;

	private final CommandGate gate;

	private final FailureLog failureLog;

	private final Pace pace;

	private final Runnable onIdle;

	private final KeyMachine machine;

	/** Touched by events only. */
	private Runnable cancelTick = () -> {
	};

	private volatile State state = State.IDLE;

	private volatile boolean active;

	/**
	 * @param onIdle called when the store has no observation of the key
	 */
	ObservedKey(Key key, CommandGate gate, FailureLog failureLog, Pace pace, Runnable onIdle) {
		this.key = key;
		this.gate = gate;
		this.failureLog = failureLog;
		this.pace = pace;
		this.onIdle = onIdle;
		this.machine = new KeyMachine(key, this);
	}

	Key key() {
		return this.key;
	}

	/** Adds a listener, which is still to be attached. */
	ListenerHandle add(Settings settings, Lane lane, PatientExecutor executor) {
		ListenerHandle handle = new ListenerHandle(this, settings, lane, executor);
		this.handles.add(handle);
		return handle;
	}

	void remove(ListenerHandle handle) {
		this.handles.remove(handle);
	}

	List<ListenerHandle> handles() {
		return this.handles;
	}

	/** Whether there is no listener, and no observation in the store. */
	boolean isUnused() {
		return this.handles.isEmpty() && this.state == State.IDLE;
	}

	/** Whether changes arrive right now, also while this is being renewed. */
	boolean isActive() {
		return this.active;
	}

	boolean ignoresOwn() {
		return this.handles.stream().anyMatch(ListenerHandle::ignoresOwn);
	}

	/**
	 * A write of our own is about to be sent.
	 * @return the number to finish it with
	 */
	long ownWriteStarted() {
		long id = this.ownWrites.incrementAndGet();
		submit((machine) -> machine.ownWriteStarted(id));
		return id;
	}

	/** Something has happened. */
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
			logger.error("The observation of key {} failed", this.key, ex);
		}
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
				// A renewal, or not active anyway.
			}
			case IDLE, DISCONNECTED, WAITING, STOPPING -> {
				this.active = false;
				this.handles.forEach(ListenerHandle::interrupted);
			}
		}
	}

	/** Returns whether a lock depends on this observation. */
	private boolean isUrgent() {
		return this.handles.stream().anyMatch(ListenerHandle::isDirect);
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
		this.cancelTick = this.pace.timer().schedule(delay, () -> submit((machine) -> machine.tick(step)));
	}

	@Override
	public void cancelTick() {
		this.cancelTick.run();
	}

	@Override
	public void failed(String command, Throwable reason, Duration delay) {
		this.failureLog.failed(command, this.key, reason, delay);
		if (reason instanceof StateStoreRefusedException refusal) {
			this.handles.forEach((handle) -> handle.refused(refusal));
		}
	}

	@Override
	public Duration retryDelay(int failures) {
		return this.pace.retryDelay(failures);
	}

	@Override
	public Duration renewalDelay() {
		return this.pace.renewalDelay();
	}

}
