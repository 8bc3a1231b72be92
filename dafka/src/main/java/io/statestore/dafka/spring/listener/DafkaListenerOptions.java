package io.statestore.dafka.spring.listener;

import java.time.Duration;

import io.statestore.dafka.Options;

/**
 * What all listeners have in common.
 *
 * @param autoStartup whether they start with the application
 * @param maxBatch how many records a batch has at most; so many more may wait
 * @param commitInterval how often offsets are saved
 * @param stopTimeout how long stopping waits for calls that are running
 */
public record DafkaListenerOptions(boolean autoStartup, int maxBatch, Duration commitInterval, Duration stopTimeout) {

	/** Start, 500 records, 1 s, 10 s. */
	public static final DafkaListenerOptions DEFAULT = new DafkaListenerOptions(true, 500, Duration.ofSeconds(1),
			Duration.ofSeconds(10));

	public DafkaListenerOptions {
		Options.requireAtLeast("maxBatch", maxBatch, 1);
		Options.requireDuration("commitInterval", commitInterval, Duration.ofMillis(1));
		Options.requireDuration("stopTimeout", stopTimeout, Duration.ZERO);
	}

}
