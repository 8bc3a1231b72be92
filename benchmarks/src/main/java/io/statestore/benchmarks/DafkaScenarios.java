package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.store.Fsync;

/**
 * Scenarios for streams: records delivered, acknowledged, and replayed per second, and
 * the latency of a record. Sender and receiver run in one process, each with its own
 * threads, and communicate over TCP.
 */
final class DafkaScenarios {

	private static final long INTERVAL_NANOS = 1_000_000;

	/** Maximum delay with which a sleep may end. */
	private static final long SPIN_NANOS = 200_000;

	/**
	 * Buffer size of our sockets. JeroMQ reads and writes 8 KiB at a time.
	 */
	private static final int BUFFER = 256 << 10;

	private static final int HISTORY = 1_000_000;

	private static final int TIMED = 2_000;

	private DafkaScenarios() {
	}

	static List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (int size : new int[] { 100, 1024 }) {
			int records = (size == 100) ? 600_000 : 240_000;
			Peer.Measure<RecordStream> delivered = (stream) -> delivered(stream, size, records);
			Peer.Measure<RecordStream> acknowledged = (stream) -> acknowledged(stream, size, records);
			scenarios.add(new Scenario("Dafka, producer to consumer, " + size + " B", "1/s",
					List.of(ours(delivered), Peer.of("ours, with CURVE", () -> DafkaStream.toConsumer(true), delivered),
							raw(delivered),
							Peer.of("raw JeroMQ, with our buffers", () -> new JeroMqStream(BUFFER), delivered))));
			scenarios.add(new Scenario("Dafka, producer to store until acknowledged, " + size + " B", "1/s",
					List.of(Peer.of("ours, fsync never", () -> DafkaStream.toStore(Fsync.NEVER), acknowledged),
							Peer.of("ours, fsync batch", () -> DafkaStream.toStore(Fsync.BATCH), acknowledged),
							raw(delivered))));
		}
		scenarios.add(new Scenario("Dafka, a late consumer reads " + HISTORY + " records from a store, 100 B", "1/s",
				List.of(Peer.of("ours", DafkaScenarios::history, DafkaScenarios::replay),
						raw((stream) -> delivered(stream, 100, HISTORY)))));
		for (int percentile : new int[] { 50, 99 }) {
			Peer.Measure<RecordStream> latency = (stream) -> latency(stream, percentile / 100.0);
			scenarios.add(new Scenario("Dafka, one way at 1,000/s, 100 B, p" + percentile, "us",
					List.of(ours(latency), raw(latency))));
		}
		return scenarios;
	}

	private static Peer ours(Peer.Measure<RecordStream> measure) {
		return Peer.of("ours", () -> DafkaStream.toConsumer(false), measure);
	}

	private static Peer raw(Peer.Measure<RecordStream> measure) {
		return Peer.of("raw JeroMQ, two frames", () -> new JeroMqStream(0), measure);
	}

	private static double delivered(RecordStream stream, int size, int records) throws Exception {
		RecordStream.Round round = stream.expect(records);
		long start = System.nanoTime();
		send(stream, size, records);
		round.await();
		return Measures.perSecond(records, start);
	}

	/**
	 * Waits only for the last acknowledgment, because acknowledgments arrive in order.
	 */
	private static double acknowledged(RecordStream stream, int size, int records) throws Exception {
		long start = System.nanoTime();
		send(stream, size, records).get(120, TimeUnit.SECONDS);
		return Measures.perSecond(records, start);
	}

	private static CompletableFuture<?> send(RecordStream stream, int size, int records) {
		byte[] content = new byte[size];
		CompletableFuture<?> last = CompletableFuture.completedFuture(null);
		for (int i = 0; i < records; i++) {
			last = stream.send(content);
		}
		return last;
	}

	private static DafkaStream history() throws Exception {
		DafkaStream stream = DafkaStream.toStore(Fsync.NEVER);
		acknowledged(stream, 100, HISTORY);
		stream.closeProducer();
		return stream;
	}

	/** Returns records per second, measured from the start of the consumer. */
	private static double replay(DafkaStream stream) throws Exception {
		RecordStream.Round round = stream.expect(HISTORY);
		long start = System.nanoTime();
		try (Consumer consumer = stream.consumer(OffsetReset.EARLIEST)) {
			round.await();
			return Measures.perSecond(HISTORY, start);
		}
	}

	/**
	 * Returns a percentile of the latency in microseconds. Latency is measured from the
	 * time when a record was due, so it includes delays at the sender.
	 */
	private static double latency(RecordStream stream, double percentile) throws Exception {
		RecordStream.Round round = stream.expect(TIMED);
		long start = System.nanoTime();
		for (int i = 1; i <= TIMED; i++) {
			long due = start + i * INTERVAL_NANOS;
			byte[] content = ByteBuffer.allocate(100).put(RecordStream.TIMED).putLong(due).array();
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

}
