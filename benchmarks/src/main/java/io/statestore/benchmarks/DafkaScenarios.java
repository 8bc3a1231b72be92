package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.store.Fsync;

/**
 * Scenarios of streams: records delivered, acknowledged, and read again per second, and
 * the latency of one record. Sender and receiver run in one process, each with its own
 * threads, and communicate over TCP.
 */
final class DafkaScenarios {

	private static final String RAW = "raw JeroMQ, two frames";

	private static final long INTERVAL_NANOS = 1_000_000;

	/** Upper limit of the delay with which a sleep ends. */
	private static final long SPIN_NANOS = 200_000;

	/** Buffer size of our sockets. JeroMQ reads and writes 8 KiB at a time. */
	private static final int BUFFER = 256 << 10;

	private static final int HISTORY = 1_000_000;

	private static final int TIMED = 2_000;

	private DafkaScenarios() {
	}

	static List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (int size : new int[] { 100, 1024 }) {
			int records = (size == 100) ? 600_000 : 240_000;
			Measure delivered = (stream, arrivals) -> delivered(stream, arrivals, new byte[size], records);
			Measure acknowledged = (stream, arrivals) -> acknowledged(stream, new byte[size], records);
			scenarios.add(new Scenario("Dafka, producer to consumer, " + size + " B", "1/s",
					List.of(peer("ours", DafkaStream::toConsumer, delivered),
							peer("ours, with CURVE", DafkaStream::toConsumerWithCurve, delivered), raw(delivered),
							peer("raw JeroMQ, with our buffers", (arrivals) -> new JeroMqStream(BUFFER, arrivals),
									delivered))));
			scenarios.add(new Scenario("Dafka, producer to store until acknowledged, " + size + " B", "1/s",
					List.of(peer("ours, fsync never", (arrivals) -> DafkaStream.toStore(Fsync.NEVER), acknowledged),
							peer("ours, fsync batch", (arrivals) -> DafkaStream.toStore(Fsync.BATCH), acknowledged),
							raw(delivered))));
		}
		scenarios.add(new Scenario("Dafka, a late consumer reads " + HISTORY + " records from a store, 100 B", "1/s",
				List.of(Peer.of("ours", DafkaScenarios::history, DafkaScenarios::replay),
						raw((stream, arrivals) -> delivered(stream, arrivals, new byte[100], HISTORY)))));
		for (int percentile : new int[] { 50, 99 }) {
			Measure latency = (stream, arrivals) -> latency(stream, arrivals, percentile / 100.0);
			scenarios.add(new Scenario("Dafka, one way at 1,000/s, 100 B, p" + percentile, "us",
					List.of(peer("ours", DafkaStream::toConsumer, latency), raw(latency))));
		}
		return scenarios;
	}

	private static Peer raw(Measure measure) {
		return peer(RAW, (arrivals) -> new JeroMqStream(0, arrivals), measure);
	}

	private static Peer peer(String name, Opener opener, Measure measure) {
		return new Peer(name, (resources) -> {
			Arrivals arrivals = new Arrivals();
			RecordStream stream = resources.add(opener.open(arrivals));
			return () -> measure.of(stream, arrivals);
		});
	}

	private static double delivered(RecordStream stream, Arrivals arrivals, byte[] content, int records)
			throws Exception {
		Arrivals.Round round = arrivals.expect(records, false);
		long start = System.nanoTime();
		for (int i = 0; i < records; i++) {
			stream.send(content);
		}
		round.await();
		return Measures.perSecond(records, start);
	}

	/** Waits for the last acknowledgment only, because they arrive in order. */
	private static double acknowledged(RecordStream stream, byte[] content, int records) throws Exception {
		CompletableFuture<?> last = CompletableFuture.completedFuture(null);
		long start = System.nanoTime();
		for (int i = 0; i < records; i++) {
			last = stream.send(content);
		}
		last.get(120, TimeUnit.SECONDS);
		return Measures.perSecond(records, start);
	}

	private static DafkaStream history() throws Exception {
		DafkaStream stream = DafkaStream.toStore(Fsync.NEVER);
		acknowledged(stream, new byte[100], HISTORY);
		stream.closeProducer();
		return stream;
	}

	/** Returns records per second, measured from the start of the consumer. */
	private static double replay(DafkaStream stream) throws Exception {
		Arrivals arrivals = new Arrivals();
		Arrivals.Round round = arrivals.expect(HISTORY, false);
		long start = System.nanoTime();
		try (Consumer consumer = stream.lateConsumer(arrivals)) {
			round.await();
			return Measures.perSecond(HISTORY, start);
		}
	}

	/**
	 * Returns a percentile of the latency in microseconds. It is measured from the time
	 * at which a record was due, so that it includes delays of the sender.
	 */
	private static double latency(RecordStream stream, Arrivals arrivals, double percentile) throws Exception {
		Arrivals.Round round = arrivals.expect(TIMED, true);
		long start = System.nanoTime();
		for (int i = 1; i <= TIMED; i++) {
			long due = start + i * INTERVAL_NANOS;
			byte[] content = ByteBuffer.allocate(100).put(Arrivals.TIMED).putLong(due).array();
			await(due);
			stream.send(content);
		}
		return Measures.percentile(round.await(), percentile);
	}

	private static void await(long due) {
		for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
			if (left > SPIN_NANOS) {
				LockSupport.parkNanos(left - SPIN_NANOS);
			}
			else {
				Thread.onSpinWait();
			}
		}
	}

	/** Stream of records from a sender to receivers that are already connected. */
	interface RecordStream extends AutoCloseable {

		/**
		 * Sends a record. Waits while buffers are full.
		 * @return future that completes when the record counts as sent
		 */
		CompletableFuture<?> send(byte[] content);

	}

	/** Connects a sender to receivers. */
	@FunctionalInterface
	private interface Opener {

		RecordStream open(Arrivals arrivals) throws Exception;

	}

	/** Measures one round of a stream. */
	@FunctionalInterface
	private interface Measure {

		double of(RecordStream stream, Arrivals arrivals) throws Exception;

	}

}
