package io.statestore.dafka.store;

import java.time.Duration;
import java.time.InstantSource;

import io.statestore.dafka.ReadingOptions;

/**
 * Options of a {@link StoreMachine}.
 *
 * @param fsync when to wait for the disk
 * @param retentionTime minimum age of records that retention removes,
 * {@link StoreSettings#FOREVER} to remove none
 * @param retentionBytes maximum size of all records, in bytes
 * @param retentionInterval interval at which retention removes records
 * @param replicationInterval interval at which the heads of other stores are requested
 * @param reading options for filling gaps
 * @param maxPartitions maximum number of live partitions
 * @param time clock for retention by age
 */
record StoreSettings(Fsync fsync, Duration retentionTime, long retentionBytes, Duration retentionInterval,
		Duration replicationInterval, ReadingOptions reading, int maxPartitions, InstantSource time) {

	/** Retention time that keeps all records. */
	static final Duration FOREVER = Duration.ofDays(36_500);

}
