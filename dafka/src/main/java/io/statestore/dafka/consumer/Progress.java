package io.statestore.dafka.consumer;

import io.statestore.dafka.TopicPartition;

/**
 * The listener's progress in a partition. Each seek starts a new epoch: records of
 * earlier epochs are discarded. Seeks come from the node's thread and all other changes
 * from the listener's thread; any thread may read.
 */
final class Progress {

	private final TopicPartition partition;

	private volatile int epoch;

	/** Offset of the next record for the listener; negative while unknown. */
	private volatile long next;

	Progress(TopicPartition partition, long next) {
		this.partition = partition;
		this.next = next;
	}

	TopicPartition partition() {
		return this.partition;
	}

	int epoch() {
		return this.epoch;
	}

	long next() {
		return this.next;
	}

	boolean isCurrent(int epoch) {
		return this.epoch == epoch;
	}

	synchronized void seek(long next) {
		this.epoch++;
		this.next = next;
	}

	/**
	 * Advances to an offset unless a seek has started another epoch.
	 * @return whether the epoch is current
	 */
	synchronized boolean advance(int epoch, long next) {
		if (this.epoch != epoch) {
			return false;
		}
		this.next = next;
		return true;
	}

}
