package io.statestore.sample.room;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;

/** A line without presses and without a broker. */
class FakeLine extends Line {

	private final Map<String, String> states = new ConcurrentSkipListMap<>();

	private final AtomicLong number = new AtomicLong();

	FakeLine(RoomProperties properties) {
		super(properties);
	}

	void put(String key, String value) {
		Version version = new Version(System.currentTimeMillis(), (int) this.number.incrementAndGet(), "broker");
		changed(new KeyChange<>(Key.of(key), Operation.SET, Bytes.of(value), version, false));
	}

	/** Adds a reading. */
	void machine(String name, double temperature, String state) {
		state(name, state);
		put("line/" + name, "{\"temperature\":" + temperature + ",\"packsPerMinute\":62,\"packs\":431,\"pid\":3111}");
	}

	void state(String name, String state) {
		this.states.put(name, state);
	}

	String state(String name) {
		return this.states.getOrDefault(name, Machine.ELSEWHERE);
	}

	void leader(String name) {
		put(LEADER, name + "/leader/123e4567-e89b-12d3-a456-426614174000/1");
	}

	void reject(long count) {
		trouble(Line.FAILURE, "press-2", PAUSED);
		put(REJECTED, """
				{"count":%d,"press":"press-2","token":"1795428000007:0:broker","newerPress":"press-1",
				"newerToken":"1795428000123:4:broker"}""".formatted(count));
	}

}
