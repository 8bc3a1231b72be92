package io.statestore.dafka.spring;

import java.time.Duration;

import io.statestore.dafka.internal.Options;

/**
 * Options shared by all listeners.
 *
 * @param autoStartup whether listeners start with the application
 * @param maxBatch maximum number of records per batch, at least 1
 * @param commitInterval the interval at which offsets are saved
 * @param stopTimeout how long stopping a listener waits for calls in progress
 */
public record DafkaListenerOptions(boolean autoStartup, int maxBatch, Duration commitInterval, Duration stopTimeout) {

	/**
	 * Default options: automatic startup, 500 records per batch, saving every second, 10
	 * s stop timeout.
	 */
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
