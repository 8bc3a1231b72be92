package io.statestore.dafka.spring;

import java.time.Duration;

import io.statestore.dafka.internal.Options;

/**
 * Options of all listeners.
 *
 * @param autoStartup whether listeners start with the application
 * @param maxBatch maximum number of records of a batch, at least 1
 * @param commitInterval interval at which offsets are saved
 * @param stopTimeout maximum wait for running calls when a listener stops
 */
public record DafkaListenerOptions(boolean autoStartup, int maxBatch, Duration commitInterval, Duration stopTimeout) {

	/** Automatic startup, 500 records, 1 s, 10 s. */
	public static final DafkaListenerOptions DEFAULT = new DafkaListenerOptions(true, 500, Duration.ofSeconds(1),
			Duration.ofSeconds(10));

	/**
	 * Creates options.
	 * @throws IllegalArgumentException if an option is out of range
	 */
	public DafkaListenerOptions {
		Options.requireAtLeast("maxBatch", maxBatch, 1);
		Options.requireDuration("commitInterval", commitInterval, Duration.ofMillis(1));
		Options.requireDuration("stopTimeout", stopTimeout, Duration.ZERO);
	}

}
