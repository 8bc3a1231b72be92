package io.statestore.dafka.store;

import java.time.Duration;
import java.time.InstantSource;

import io.statestore.dafka.reading.ReadingOptions;

/** What a {@link StoreMachine} is told. */
record StoreSettings(Fsync fsync, Duration retentionTime, long retentionBytes, Duration retentionInterval,
		Duration replicationInterval, ReadingOptions reading, int maxPartitions, InstantSource time) {
}
