package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import io.statestore.sample.room.Machine.State;
import org.jspecify.annotations.Nullable;

/** A line without presses and without a broker. */
class FakeLine extends Line {

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	private final Map<String, StoredKey> keys = new ConcurrentSkipListMap<>();

	private final Map<String, Machine> machines = new ConcurrentSkipListMap<>();

	private final List<LogEntry> log = new CopyOnWriteArrayList<>();

	private final AtomicLong changes = new AtomicLong();

	private volatile Leadership leadership = new Leadership(null, null, null, Duration.ofSeconds(5), null);

	private volatile Rejected rejected = Rejected.NONE;

	private volatile @Nullable Double setpoint;

	private volatile boolean available = true;

	private volatile List<BrokerState> brokers = List.of();

	FakeLine() {
		super("Embedded broker, port 1883", Duration.ofSeconds(5));
	}

	void put(String key, String value) {
		long number = this.changes.incrementAndGet();
		this.keys.compute(key, (name, old) -> new StoredKey(name, value,
				System.currentTimeMillis() + ":" + number + ":broker", (old != null) ? old.changes() + 1 : 1));
		changed();
	}

	void remove(String key) {
		this.keys.remove(key);
		changed();
	}

	/** Adds a reading. Without a state, the press keeps its state. */
	void machine(String name, double temperature, boolean leader, @Nullable State newState) {
		Machine old = this.machines.get(name);
		State state = (newState != null) ? newState : Objects.requireNonNull(old).state();
		List<Double> temperatures = new ArrayList<>((old != null) ? old.temperatures() : List.of());
		temperatures.add(temperature);
		if (temperatures.size() > 60) {
			temperatures.remove(0);
		}
		this.machines.put(name,
				new Machine(name, temperature, 60, temperatures.size(), leader, state, true, temperatures));
		changed();
	}

	void change(String name, UnaryOperator<Machine> change) {
		this.machines.computeIfPresent(name, (key, machine) -> change.apply(machine));
		changed();
	}

	void leader(String name, String token, @Nullable Duration takeover) {
		this.leadership = new Leadership(name, token, Instant.now(), Duration.ofSeconds(5), takeover);
		changed();
	}

	void reject(long count, Rejected.Write write, String explanation) {
		this.rejected = new Rejected(count, write, explanation);
		changed();
	}

	void setpoint(double degrees) {
		this.setpoint = degrees;
		changed();
	}

	@Override
	void log(LogEntry.Kind kind, String text) {
		long number = this.log.isEmpty() ? 1 : this.log.get(this.log.size() - 1).number() + 1;
		this.log.add(new LogEntry(number, Instant.now(), kind, text));
		if (this.log.size() > 200) {
			this.log.remove(0);
		}
		changed();
	}

	void available(boolean value) {
		this.available = value;
		changed();
	}

	void brokers(List<BrokerState> value) {
		this.brokers = value;
		changed();
	}

	@Override
	List<BrokerState> brokers() {
		return this.brokers;
	}

	private void changed() {
		this.listeners.forEach(Runnable::run);
	}

	@Override
	List<Machine> machines() {
		return List.copyOf(this.machines.values());
	}

	@Override
	Leadership leadership() {
		return this.leadership;
	}

	@Override
	List<StoredKey> keys() {
		return List.copyOf(this.keys.values());
	}

	@Override
	long changes() {
		return this.changes.get();
	}

	@Override
	@Nullable Double setpoint() {
		return this.setpoint;
	}

	@Override
	List<LogEntry> log() {
		return List.copyOf(this.log);
	}

	@Override
	Rejected rejected() {
		return this.rejected;
	}

	@Override
	boolean isBrokerAvailable() {
		return this.available;
	}

	@Override
	void onChange(Runnable listener) {
		this.listeners.add(listener);
	}

}
