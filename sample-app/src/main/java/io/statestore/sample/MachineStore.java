package io.statestore.sample;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreOperations;

import org.springframework.stereotype.Component;

/**
 * Readings of machines and the set point in the state store. Readings have keys such as
 * {@code machines/press-1/cpu}.
 */
@Component
class MachineStore {

	static final String SET_POINT = "setPoints/cpu";

	/** Time after which the store removes the readings of a machine that stopped. */
	private static final Duration EXPIRY = Duration.ofSeconds(10);

	private final StateStoreOperations store;

	MachineStore(StateStoreOperations store) {
		this.store = store;
	}

	/** Stores the readings of a machine, each under a key of its own. */
	void save(String machine, Map<String, Reading> readings) {
		readings.forEach((sensor, reading) -> this.store.set("machines/" + machine + "/" + sensor, reading,
				(spec) -> spec.expire(EXPIRY)));
	}

	/** Returns the readings of all machines, by machine and sensor. */
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
	void initializeSetPoint(double percent) {
		this.store.set(SET_POINT, percent, (spec) -> spec.ifAbsent().persistent());
	}

	/** Stores the set point. */
	void changeSetPoint(double percent) {
		this.store.set(SET_POINT, percent, (spec) -> spec.persistent());
	}

}
