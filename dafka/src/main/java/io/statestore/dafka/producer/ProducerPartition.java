package io.statestore.dafka.producer;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.producer.Identity.Counter;
import io.statestore.dafka.reading.internal.PartitionKey;
import org.jspecify.annotations.Nullable;

/**
 * A producer's partition: the unacknowledged records of one topic, in a growing ring
 * buffer. Used by the producer's thread.
 */
final class ProducerPartition {

	private static final long REMEMBER_NANOS = TimeUnit.SECONDS.toNanos(10);

	final PartitionKey key;

	final TopicPartition names;

	final Command.Headers headers;

	private final Counter counter;

	/**
	 * First unacknowledged record. A store has all earlier records. Later records that
	 * are not kept are lost.
	 */
	private long acknowledgedTo;

	/** Sequence number after the last record that was acknowledged before the start. */
	private final long acknowledgedBefore;

	private @Nullable Pending[] ring = new Pending[64];

	/** First kept record. */
	private long first;

	private long next;

	/** First kept record ten to twenty seconds ago. */
	private long earlierFirst;

	/** First kept record when {@link #remember} last took effect. */
	private long laterFirst;

	private long remembersAt;

	long headAt;

	ProducerPartition(Bytes address, Bytes topic, Counter counter) {
		this.key = new PartitionKey(address, topic);
		this.names = this.key.names();
		this.headers = Command.record(address, topic);
		this.counter = counter;
		this.first = counter.next();
		this.next = this.first;
		this.earlierFirst = this.first;
		this.laterFirst = this.first;
		this.acknowledgedBefore = counter.acknowledged();
		this.acknowledgedTo = Math.min(this.acknowledgedBefore, this.first);
	}

	long first() {
		return this.first;
	}

	long next() {
		return this.next;
	}

	/**
	 * Returns the sequence number after the last record that a store can have. It exceeds
	 * {@link #next()} while acknowledged records are sent again.
	 */
	long counted() {
		return Math.max(this.next, this.acknowledgedBefore);
	}

	/**
	 * Returns the first record that was kept ten to twenty seconds ago. Only consumers
	 * that start late request earlier records; those that have fallen behind do not.
	 */
	long earlierFirst() {
		return this.earlierFirst;
	}

	/** Remembers the first kept record every ten seconds. */
	void remember(long now) {
		if (now - this.remembersAt >= 0) {
			this.remembersAt = now + REMEMBER_NANOS;
			this.earlierFirst = this.laterFirst;
			this.laterFirst = this.first;
		}
	}

	boolean isEmpty() {
		return this.first == this.next;
	}

	/** Assigns the next sequence number to a record and keeps the record. */
	void add(Pending pending) {
		if (this.next - this.first == this.ring.length) {
			grow();
		}
		pending.sequence = this.next;
		this.ring[slot(this.next)] = pending;
		this.next++;
		this.counter.setNext(this.next);
	}

	/** Returns a record, or {@code null} if it is not kept. */
	@Nullable Pending get(long sequence) {
		return (sequence >= this.first && sequence < this.next) ? this.ring[slot(sequence)] : null;
	}

	/**
	 * Returns the first record to send in answer to a request; {@link Long#MAX_VALUE} if
	 * the request is not answered.
	 * @param sequence first requested record
	 * @param count number of requested records
	 */
	long answerFrom(long sequence, long count) {
		if (sequence >= this.first || sequence + count > this.first) {
			return Math.max(sequence, this.first);
		}
		// Records lost in a restart, or evicted before a store had them, are unavailable.
		// Sending the first available record shows this.
		return (sequence >= this.acknowledgedTo) ? this.first : Long.MAX_VALUE;
	}

	/**
	 * Removes acknowledged records.
	 * @param sequence last acknowledged record
	 * @param acknowledged called with each removed record
	 */
	void acknowledge(long sequence, Consumer<Pending> acknowledged) {
		long end = Math.min(sequence + 1, this.next);
		removeTo(end, acknowledged);
		if (end > this.acknowledgedTo) {
			this.acknowledgedTo = end;
			this.counter.setAcknowledged(end);
		}
	}

	/**
	 * Removes records without counting them as acknowledged.
	 * @param end sequence number after the last removed record
	 * @param removed called with each removed record
	 */
	void removeTo(long end, Consumer<Pending> removed) {
		for (; this.first < end; this.first++) {
			int slot = slot(this.first);
			Pending pending = this.ring[slot];
			this.ring[slot] = null;
			if (pending != null) {
				removed.accept(pending);
			}
		}
	}

	private void grow() {
		@Nullable Pending[] grown = new Pending[this.ring.length * 2];
		for (long sequence = this.first; sequence < this.next; sequence++) {
			grown[(int) sequence & (grown.length - 1)] = this.ring[slot(sequence)];
		}
		this.ring = grown;
	}

	private int slot(long sequence) {
		return (int) sequence & (this.ring.length - 1);
	}

}
