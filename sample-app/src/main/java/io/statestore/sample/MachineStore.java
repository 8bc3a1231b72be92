package io.statestore.sample;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;

import org.springframework.stereotype.Component;

/** What the sample keeps in the state store, and under which keys. */
@Component
class MachineStore {

	static final String SET_POINT = "setPoints/cpu";

	/** A machine that no longer reports disappears by itself. */
	private static final Duration READING_LIVES = Duration.ofSeconds(10);

	private final StateStoreOperations store;

	MachineStore(StateStoreOperations store) {
		this.store = store;
	}

	void save(String machine, Map<String, Reading> readings) {
		readings.forEach((sensor, reading) -> this.store.set("machines/" + machine + "/" + sensor, reading,
				(spec) -> spec.expire(READING_LIVES)));
	}

	/** The readings of all machines that report to this store: by machine, by sensor. */
	Map<String, Map<String, Entry<Reading>>> readings() {
		Map<String, Map<String, Entry<Reading>>> machines = new TreeMap<>();
		for (Key key : this.store.scan("machines/*/*")) {
			String[] parts = key.toString().split("/");
			this.store.get(key, Reading.class)
				.ifPresent(
						(entry) -> machines.computeIfAbsent(parts[1], (name) -> new TreeMap<>()).put(parts[2], entry));
		}
		return machines;
	}

	/** Stores the set point if none is set. */
	void initialiseSetPoint(double percent) {
		this.store.set(SET_POINT, percent, (spec) -> spec.ifAbsent().persistent());
	}

	void changeSetPoint(double percent) {
		this.store.set(SET_POINT, percent, (spec) -> spec.persistent());
	}

}
