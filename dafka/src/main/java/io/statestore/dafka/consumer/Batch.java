package io.statestore.dafka.consumer;

import java.util.List;
import java.util.Optional;

import io.statestore.dafka.DafkaRecord;

/**
 * What the listener gets of one partition.
 *
 * @param partition of which partition
 * @param epoch at which it was read; a seek makes it void
 * @param records in order
 * @param lost records that are gone, behind these
 */
record Batch(ReadPartition partition, int epoch, List<DafkaRecord> records, Optional<Lost> lost) {

	/** Records that are gone. */
	record Lost(long first, long count) {
	}

}
