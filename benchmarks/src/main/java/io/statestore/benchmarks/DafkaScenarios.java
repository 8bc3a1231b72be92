package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
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

	private static final long INTERVAL_NANOS = 1_000_000;

	/** Upper limit of the delay with which a sleep ends. */
	private static final long SPIN_NANOS = 200_000;

	/** Buffer size of our sockets. JeroMQ reads and writes 8 KiB at a time. */
	private static final int BUFFER = 256 << 10;

	private final boolean quick;

	DafkaScenarios(boolean quick) {
		this.quick = quick;
	}

	List<Scenario> all() {
		List<Scenario> scenarios = new ArrayList<>();
		for (int size : new int[] { 100, 1024 }) {
			int records = (this.quick ? 300 : 600) * ((size == 100) ? 1000 : 400);
			byte[] content = new byte[size];
			Measure delivered = (stream, arrivals) -> delivered(stream, arrivals, content, records);
			Measure acknowledged = (stream, arrivals) -> acknowledged(stream, content, records);
			List<Implementation.Factory> raw = new ArrayList<>(raw(delivered));
			raw.add(of("raw JeroMQ, with our buffers", (arrivals) -> new JeroMqStream(BUFFER, arrivals), delivered));
			scenarios.add(new Scenario("Dafka, producer to consumer, " + size + " B", "1/s",
					implementations(raw, of("ours", DafkaStream::toConsumer, delivered),
							of("ours, with CURVE", DafkaStream::toConsumerWithCurve, delivered))));
			scenarios.add(new Scenario("Dafka, producer to store until acknowledged, " + size + " B", "1/s",
					implementations(raw(delivered),
							of("ours, fsync never", (arrivals) -> DafkaStream.toStore(Fsync.NEVER), acknowledged),
							of("ours, fsync batch", (arrivals) -> DafkaStream.toStore(Fsync.BATCH), acknowledged))));
		}
		int history = this.quick ? 200_000 : 1_000_000;
		byte[] content = new byte[100];
		Measure delivered = (stream, arrivals) -> delivered(stream, arrivals, content, history);
		scenarios.add(new Scenario("Dafka, a late consumer reads " + history + " records from a store, 100 B", "1/s",
				implementations(raw(delivered), of("ours", (arrivals) -> history(content, history),
						(stream, arrivals) -> replay((DafkaStream) stream, history)))));
		for (int percentile : new int[] { 50, 99 }) {
			Measure latency = (stream, arrivals) -> latency(stream, arrivals, percentile);
			scenarios.add(new Scenario("Dafka, one way at 1,000/s, 100 B, p" + percentile, "us",
					implementations(raw(latency), of("ours", DafkaStream::toConsumer, latency))));
		}
		return scenarios;
	}

	/** Returns all implementations, ours first. */
	private static List<Implementation.Factory> implementations(List<Implementation.Factory> raw,
			Implementation.Factory... ours) {
		List<Implementation.Factory> implementations = new ArrayList<>(List.of(ours));
		implementations.addAll(raw);
		return implementations;
	}

	private static List<Implementation.Factory> raw(Measure measure) {
		return List.of(of("raw JeroMQ, two frames", (arrivals) -> new JeroMqStream(0, arrivals), measure));
	}

	private static Implementation.Factory of(String name, Opening opening, Measure measure) {
		return () -> {
			Arrivals arrivals = new Arrivals();
			RecordStream stream = opening.open(arrivals);
			return new Implementation() {

				@Override
				public String name() {
					return name;
				}

				@Override
				public double measure() throws Exception {
					return measure.of(stream, arrivals);
				}

				@Override
				public void close() throws Exception {
					stream.close();
				}

			};
		};
	}

	private static double delivered(RecordStream stream, Arrivals arrivals, byte[] content, int records)
			throws Exception {
		Arrivals.Round round = arrivals.expect(records, false);
		long start = System.nanoTime();
		for (int i = 0; i < records; i++) {
			stream.send(content);
		}
		round.await();
		return perSecond(records, start);
	}

	/** Waits for the last acknowledgment only, because they arrive in order. */
	private static double acknowledged(RecordStream stream, byte[] content, int records) throws Exception {
		CompletableFuture<?> last = CompletableFuture.completedFuture(null);
		long start = System.nanoTime();
		for (int i = 0; i < records; i++) {
			last = stream.send(content);
		}
		last.get(120, TimeUnit.SECONDS);
		return perSecond(records, start);
	}

	private static DafkaStream history(byte[] content, int records) throws Exception {
		DafkaStream stream = DafkaStream.toStore(Fsync.NEVER);
		acknowledged(stream, content, records);
		stream.closeProducer();
		return stream;
	}

	/** Returns records per second, measured from the start of the consumer. */
	private static double replay(DafkaStream stream, int records) throws Exception {
		Arrivals arrivals = new Arrivals();
		Arrivals.Round round = arrivals.expect(records, false);
		long start = System.nanoTime();
		try (Consumer consumer = stream.lateConsumer(arrivals)) {
			round.await();
			return perSecond(records, start);
		}
	}

	private static double perSecond(int records, long start) {
		return records / ((System.nanoTime() - start) / 1e9);
	}

	/**
	 * Returns a percentile of the latency in microseconds. It is measured from the time
	 * at which a record was due, so that it includes delays of the sender.
	 */
	private double latency(RecordStream stream, Arrivals arrivals, int percentile) throws Exception {
		int records = this.quick ? 800 : 2_000;
		Arrivals.Round round = arrivals.expect(records, true);
		long start = System.nanoTime();
		for (int i = 1; i <= records; i++) {
			long due = start + i * INTERVAL_NANOS;
			byte[] content = ByteBuffer.allocate(100).put(Arrivals.TIMED).putLong(due).array();
			await(due);
			stream.send(content);
		}
		long[] nanos = round.await();
		Arrays.sort(nanos);
		return nanos[records * percentile / 100] / 1000.0;
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

	/** Connects a sender to receivers. */
	@FunctionalInterface
	private interface Opening {

		RecordStream open(Arrivals arrivals) throws Exception;

	}

	/** Measures one round of a stream. */
	@FunctionalInterface
	private interface Measure {

		double of(RecordStream stream, Arrivals arrivals) throws Exception;

	}

}
