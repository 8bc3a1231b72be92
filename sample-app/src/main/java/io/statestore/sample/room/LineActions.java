package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;

import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.sample.room.LogEntry.Kind;

import org.springframework.stereotype.Component;

/** Performs the actions of the buttons. */
@Component
class LineActions implements LineControl {

	/** Longer than packing one batch takes. */
	private static final Duration MAX_WAIT = Duration.ofSeconds(2);

	/** Time after a write by which the leader is packing the next batch. */
	private static final Duration START_OF_BATCH = Duration.ofMillis(250);

	private final RoomProperties properties;

	private final Line line;

	private final Presses presses;

	private final LineBroker broker;

	private final Brokers brokers;

	private final WriteProbe probe;

	private final StateStoreOperations store;

	private final StateStoreLockRegistry locks;

	LineActions(RoomProperties properties, Line line, Presses presses, LineBroker broker, Brokers brokers,
			WriteProbe probe, StateStoreOperations store, StateStoreLockRegistry locks) {
		this.properties = properties;
		this.line = line;
		this.presses = presses;
		this.broker = broker;
		this.brokers = brokers;
		this.probe = probe;
		this.store = store;
		this.locks = locks;
	}

	@Override
	public boolean canPause() {
		return Programs.canSignal();
	}

	@Override
	public void pause(String press) {
		PressProcess process = this.presses.get(press);
		process.requirePausable();
		if (press.equals(this.line.leadership().leader())) {
			awaitPacking(press);
		}
		process.pause(this.properties.pause());
		done(press, RejectedWrites.PAUSED);
	}

	/**
	 * Waits until the leader packs a batch, which it will write after the pause. A leader
	 * that is stopped between two batches writes nothing when it continues.
	 * @throws IllegalStateException if the thread is interrupted
	 */
	private void awaitPacking(String press) {
		String before = batchVersion();
		long start = System.nanoTime();
		try {
			while (batchVersion().equals(before) && System.nanoTime() - start < MAX_WAIT.toNanos()) {
				Thread.sleep(10);
			}
			Thread.sleep(START_OF_BATCH.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(press + " was not paused: the control room is closing", ex);
		}
	}

	private String batchVersion() {
		return this.line.keys()
			.stream()
			.filter((key) -> key.key().equals(LineKeys.BATCH))
			.map(StoredKey::version)
			.findFirst()
			.orElse("");
	}

	@Override
	public void resume(String press) {
		this.presses.get(press).resume();
	}

	@Override
	public void kill(String press) {
		this.presses.get(press).kill();
		done(press, "was killed");
	}

	@Override
	public void start(String press) {
		this.presses.get(press).start();
		this.line.processStarted(press);
		this.line.log(Kind.CHANGE, press + " was started.");
	}

	@Override
	public void cut(String press) {
		this.presses.get(press).cut(this.properties.cut());
		done(press, "was disconnected");
	}

	private void done(String press, String what) {
		this.line.trouble(press, what);
		this.line.log(Kind.FAILURE, press + ' ' + what + '.');
	}

	/** The same as {@code statestore leader resign line-leader}: docs/cli.md. */
	@Override
	public void resign() {
		String leader = this.line.leadership().leader();
		if (leader == null) {
			throw new IllegalStateException("No press leads the line");
		}
		// Before the release, because the next leader may be known before the reply.
		this.line.trouble(leader, "was told to resign");
		boolean released = false;
		try {
			released = this.locks.forceRelease(LineKeys.LEADER).isPresent();
		}
		finally {
			if (!released) {
				// Forgets the trouble.
				this.line.processStarted(leader);
			}
		}
		if (!released) {
			throw new IllegalStateException("The leader has changed in the meantime");
		}
		this.line.log(Kind.CHANGE, leader + " was told to resign.");
	}

	@Override
	public void killBroker(String broker) {
		Instant at = Instant.now();
		this.brokers.get(broker).kill();
		this.probe.start(broker, at);
	}

	@Override
	public void startBroker(String broker) {
		this.brokers.get(broker).start();
		this.line.log(Kind.CHANGE, broker + " was started.");
	}

	@Override
	public void restartBroker() {
		if (this.properties.isCluster()) {
			throw new IllegalStateException("There are three brokers. Kill and start one of them");
		}
		this.broker.restart();
		this.line.log(Kind.CHANGE, "The broker is restarting.");
	}

	@Override
	public void deleteKey(String key) {
		if (!this.store.delete(Key.of(key)).deleted()) {
			throw new IllegalStateException("The key no longer exists");
		}
		this.line.log(Kind.CHANGE, "The key " + ReadableText.key(key) + " was deleted.");
	}

	@Override
	public void changeSetpoint(double degrees) {
		// Also refuses NaN.
		if (!(degrees >= MIN_SETPOINT && degrees <= MAX_SETPOINT)) {
			throw new IllegalArgumentException(
					"The setpoint must be " + MIN_SETPOINT + " to " + MAX_SETPOINT + " °C, but is " + degrees);
		}
		this.store.set(LineKeys.SETPOINT, degrees, (spec) -> spec.persistent());
	}

}
