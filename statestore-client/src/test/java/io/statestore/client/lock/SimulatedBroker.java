package io.statestore.client.lock;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.Answer;
import io.statestore.broker.engine.LogEntry;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.engine.Requester;
import io.statestore.broker.engine.SeenClock;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** The real state machine, with simulated clocks and watches. */
final class SimulatedBroker {

	private final LongSupplier wallClock;

	private final LongSupplier nanoClock;

	private final StateMachine machine = new StateMachine(this::changed);

	private final SeenClock seen = new SeenClock(this.machine);

	private final Map<Bytes, Set<SimulatedWatch>> watchers = new HashMap<>();

	private int requests;

	/**
	 * Creates a broker with an empty store.
	 * @param wallClock milliseconds since 1970
	 * @param nanoClock nanoseconds, from 0
	 */
	SimulatedBroker(LongSupplier wallClock, LongSupplier nanoClock) {
		this.wallClock = wallClock;
		this.nanoClock = nanoClock;
		this.machine.apply(new LogEntry.Start(now(), wallClock.getAsLong(), null, 1, Quota.UNLIMITED, 0, null, true));
	}

	private long now() {
		return this.nanoClock.getAsLong();
	}

	private void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable Requester author) {
		Notification change = (value != null) ? new Notification.Set(value) : new Notification.Delete();
		List.copyOf(this.watchers.getOrDefault(key, Set.of())).forEach((watch) -> watch.notified(change, version));
	}

	/** Executes a GET or a write. */
	Answer apply(Command command, @Nullable String timestamp, @Nullable String token) {
		long wallMillis = this.wallClock.getAsLong();
		if (command instanceof Command.Write write) {
			return this.machine.apply(new LogEntry.Write(now(), wallMillis, this.seen.pending(), write, timestamp,
					token, "client", Bytes.of(String.valueOf(this.requests++)), 0, null, false));
		}
		this.seen.receive(timestamp, wallMillis);
		Bytes key = ((Command.Get) command).key();
		if (this.machine.isDue(key, now())) {
			expire(List.of(key));
		}
		return this.machine.read(command);
	}

	void watch(Bytes key, SimulatedWatch watch) {
		this.watchers.computeIfAbsent(key, (absent) -> new TreeSet<>(Comparator.comparingLong((other) -> other.number)))
			.add(watch);
	}

	void disconnected(SimulatedWatch watch) {
		this.watchers.values().forEach((watches) -> watches.remove(watch));
	}

	/** Removes expired keys. */
	void expire() {
		expire(this.machine.due(now(), LogEntry.Expire.MAX_KEYS));
	}

	private void expire(List<Bytes> keys) {
		this.machine.apply(new LogEntry.Expire(now(), this.wallClock.getAsLong(), this.seen.pending(), keys));
	}

	/**
	 * Returns the nanoseconds until a key may expire, {@link Long#MAX_VALUE} if no key
	 * has an expiry.
	 */
	long nanosToNextDeadline() {
		long deadline = this.machine.nextDeadline();
		return (deadline != Long.MAX_VALUE) ? Math.max(0, deadline - now()) : Long.MAX_VALUE;
	}

}
