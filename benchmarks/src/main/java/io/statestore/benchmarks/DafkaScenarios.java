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
 * Streams: how many records arrive, are acknowledged and are read again in a second, and
 * how long one takes. Sender and receiver share a process, each with threads of its own,
 * and talk over TCP.
 */
final class DafkaScenarios {

	private static final long INTERVAL_NANOS = 1_000_000;

	/** Sleeping ends late by less than this. */
	private static final long SPIN_NANOS = 200_000;

	/** Of our sockets; those of JeroMQ read and write 8 KiB at once. */
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
			List<Contestant.Factory> raw = new ArrayList<>(raw(delivered));
			raw.add(of("raw JeroMQ, with our buffers", (arrivals) -> new JeroMqStream(BUFFER, arrivals), delivered));
			scenarios.add(new Scenario("Dafka, producer to consumer, " + size + " B", "1/s",
					contestants(raw, of("ours", DafkaStream::toConsumer, delivered))));
			scenarios.add(new Scenario("Dafka, producer to store until acknowledged, " + size + " B", "1/s",
					contestants(raw(delivered),
							of("ours, fsync never", (arrivals) -> DafkaStream.toStore(Fsync.NEVER), acknowledged),
							of("ours, fsync batch", (arrivals) -> DafkaStream.toStore(Fsync.BATCH), acknowledged))));
		}
		int history = this.quick ? 200_000 : 1_000_000;
		byte[] content = new byte[100];
		Measure delivered = (stream, arrivals) -> delivered(stream, arrivals, content, history);
		scenarios.add(new Scenario("Dafka, a late consumer reads " + history + " records from a store, 100 B", "1/s",
				contestants(raw(delivered), of("ours", (arrivals) -> history(content, history),
						(stream, arrivals) -> replay((DafkaStream) stream, history)))));
		for (int percentile : new int[] { 50, 99 }) {
			Measure latency = (stream, arrivals) -> latency(stream, arrivals, percentile);
			scenarios.add(new Scenario("Dafka, one way at 1,000/s, 100 B, p" + percentile, "us",
					contestants(raw(latency), of("ours", DafkaStream::toConsumer, latency))));
		}
		return scenarios;
	}

	/** Ours come first. */
	private static List<Contestant.Factory> contestants(List<Contestant.Factory> raw, Contestant.Factory... ours) {
		List<Contestant.Factory> contestants = new ArrayList<>(List.of(ours));
		contestants.addAll(raw);
		return contestants;
	}

	private static List<Contestant.Factory> raw(Measure measure) {
		return List.of(of("raw JeroMQ, two frames", (arrivals) -> new JeroMqStream(0, arrivals), measure));
	}

	private static Contestant.Factory of(String name, Opening opening, Measure measure) {
		return () -> {
			Arrivals arrivals = new Arrivals();
			RecordStream stream = opening.open(arrivals);
			return new Contestant() {

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

	/** Acknowledgements come in order. */
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

	/** From the start of the consumer on. */
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
	 * In microseconds, counted from when a record should have been sent: being late is
	 * part of it.
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

	/** Connects a sender with receivers. */
	@FunctionalInterface
	private interface Opening {

		RecordStream open(Arrivals arrivals) throws Exception;

	}

	/** One round of one stream. */
	@FunctionalInterface
	private interface Measure {

		double of(RecordStream stream, Arrivals arrivals) throws Exception;

	}

}
