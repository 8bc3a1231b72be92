package io.statestore.broker.memory;

import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;

import io.statestore.protocol.InvalidOptionException;

/**
 * Divides the heap among the store and its clients.
 *
 * @param heapBytes maximum heap size, in bytes
 */
public record HeapPlan(long heapBytes) {

	/**
	 * Estimated heap usage of a key, in bytes, not including the size of key and value.
	 */
	public static final int KEY_OVERHEAD = 240;

	/**
	 * The plan from which the default limits in a cluster are calculated, whatever the
	 * heap size of each node.
	 */
	public static final HeapPlan OF_NODE = new HeapPlan(256L << 20);

	private static final int BYTES_PER_KEY = 2_048;

	private static final int STORE_DIVISOR = 4;

	private static final int CLIENTS_DIVISOR = 4;

	private static final int REPLIES_DIVISOR = 16;

	private static final int LOG_DIVISOR = 8;

	private static final long MIN_MEMORY = 1 << 20;

	/**
	 * Returns the plan for this JVM's maximum heap.
	 * @return a plan for all of the heap
	 */
	public static HeapPlan ofThisJvm() {
		return new HeapPlan(Runtime.getRuntime().maxMemory());
	}

	/**
	 * Returns the default limits: one key per 2 KiB of heap, a quarter of the heap for
	 * keys and values, a quarter for clients, and a sixteenth for remembered replies.
	 * @return the default limits
	 */
	public Limits limits() {
		return new Limits(Math.max(1, this.heapBytes / BYTES_PER_KEY), Math.max(1, this.heapBytes / STORE_DIVISOR),
				Math.max(MIN_MEMORY, this.heapBytes / REPLIES_DIVISOR),
				Math.max(MIN_MEMORY, this.heapBytes / CLIENTS_DIVISOR), null);
	}

	/**
	 * Returns the memory for requests waiting for a log.
	 * @return an eighth of the heap, in bytes
	 */
	public long logMemory() {
		return this.heapBytes / LOG_DIVISOR;
	}

	/**
	 * Returns the memory for a node's copy of a cluster's store. The copy is subject to
	 * the leader's limits, which may exceed this node's.
	 * @param limits this node's limits
	 * @return the heap that remains after clients and the log, in bytes
	 */
	public long replicaMemory(Limits limits) {
		return Math.max(0, this.heapBytes - limits.clientMemory() - logMemory());
	}

	/**
	 * Checks that the heap is large enough for the limits.
	 * @param limits configured limits
	 * @param log whether there is a log
	 * @throws InvalidOptionException if the heap is too small. The exception names the
	 * limit that exceeds its default by the largest amount
	 */
	public void require(Limits limits, boolean log) {
		double excess = keyOverhead(limits) + limits.maxSize() + limits.clientMemory() + limits.replyMemory()
				+ (log ? logMemory() : 0) - this.heapBytes;
		if (excess <= 0) {
			return;
		}
		Limits planned = limits();
		Need worst = Stream
			.of(new Need("maxSize", limits.maxSize(), planned.maxSize(), 1),
					new Need("clientMemory", limits.clientMemory(), planned.clientMemory(), 1),
					new Need("replyMemory", limits.replyMemory(), planned.replyMemory(), 1),
					new Need("maxKeys", Math.min(limits.maxKeys(), limits.maxSize()), planned.maxKeys(), KEY_OVERHEAD))
			.max(Comparator.comparingDouble(Need::aboveDefault))
			.orElseThrow();
		throw new InvalidOptionException(worst.option(),
				worst.option().equals("maxKeys") ? limits.maxKeys() : worst.value(),
				"must be at most " + worst.valueWithout(excess)
						+ ", because all limits together exceed the maximum heap of this JVM, " + (this.heapBytes >> 20)
						+ " MiB",
				String.format(Locale.ROOT, "Lower it, or raise the heap with -Xmx%.0fm",
						sufficientHeap(limits, log) / (1 << 20)));
	}

	/**
	 * Returns a sufficient heap size. Limits that have their default value grow with the
	 * heap. The result exceeds the required size by 5%, because some garbage collectors
	 * do not use the entire maximum heap.
	 */
	private double sufficientHeap(Limits limits, boolean log) {
		double fixed = 0;
		double growing = log ? logMemory() : 0;
		Limits planned = limits();
		boolean moreBytes = limits.maxSize() == planned.maxSize();
		double keys = moreBytes ? (double) limits.maxKeys() * KEY_OVERHEAD : keyOverhead(limits);
		double[] values = { limits.maxSize(), limits.clientMemory(), limits.replyMemory(), keys };
		double[] defaults = { planned.maxSize(), planned.clientMemory(), planned.replyMemory(), keyOverhead(planned) };
		for (int i = 0; i < values.length; i++) {
			if (values[i] == defaults[i]) {
				growing += values[i];
			}
			else {
				fixed += values[i];
			}
		}
		return Math.ceil(1.05 * fixed / (1 - growing / this.heapBytes));
	}

	/**
	 * Returns the heap that all keys take in addition to their content. The result is a
	 * floating-point number, because a limit may be {@link Long#MAX_VALUE}.
	 */
	private static double keyOverhead(Limits limits) {
		return (double) Math.min(limits.maxKeys(), limits.maxSize()) * KEY_OVERHEAD;
	}

	/** The heap that a limit requires: {@code unit} bytes for each unit of its value. */
	private record Need(String option, long value, long planned, int unit) {

		double aboveDefault() {
			return ((double) this.value - this.planned) * this.unit;
		}

		/** Returns the largest value that fits, but at least the default. */
		long valueWithout(double excess) {
			return Math.max(this.planned, (long) (this.value - excess / this.unit));
		}

	}

}
