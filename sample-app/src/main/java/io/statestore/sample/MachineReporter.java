package io.statestore.sample;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.statestore.client.Entry;
import io.statestore.client.StateStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Measures this machine every second, stores the readings, and logs those of all
 * machines.
 */
@Component
class MachineReporter {

	private static final Logger logger = LoggerFactory.getLogger(MachineReporter.class);

	private final MachineSensor sensor;

	private final MachineStore store;

	private final SetPoint setPoint;

	private final SampleProperties properties;

	MachineReporter(MachineSensor sensor, MachineStore store, SetPoint setPoint, SampleProperties properties) {
		this.sensor = sensor;
		this.store = store;
		this.setPoint = setPoint;
		this.properties = properties;
	}

	@Scheduled(fixedRate = 1, initialDelay = 1, timeUnit = TimeUnit.SECONDS)
	void report() {
		try {
			this.store.save(this.properties.name(), this.sensor.read());
			double setPoint = setPoint();
			this.store.readings().forEach((machine, readings) -> print(machine, readings, setPoint));
		}
		catch (StateStoreException ex) {
			logger.warn("Could not store the readings; retrying in 1 s: {}", ex.getMessage());
		}
	}

	/** Returns the set point. Stores the default if the store has none. */
	private double setPoint() {
		Double percent = this.setPoint.percent();
		if (percent == null) {
			this.store.initializeSetPoint(this.properties.setPoint());
			return this.properties.setPoint();
		}
		return percent;
	}

	private void print(String machine, Map<String, Entry<Reading>> readings, double setPoint) {
		Entry<Reading> cpu = readings.get("cpu");
		String state = (cpu != null && cpu.value().percent() > setPoint) ? "HOT" : "ok";
		logger.info("{}: cpu {} % (set point {} %: {}), memory {} %, disk {} %", machine, percent(cpu), setPoint, state,
				percent(readings.get("memory")), percent(readings.get("disk")));
	}

	private static String percent(@Nullable Entry<Reading> entry) {
		return (entry != null) ? Double.toString(entry.value().percent()) : "-";
	}

}
