package io.statestore.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Phaser;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.statestore.client.Key;
import io.statestore.client.StateStoreAsyncOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command {@code statestore bench}: measures round trips and rates. */
@Command(name = "bench",
		description = "Measures round-trip times and request rates. It uses separate keys and deletes them afterward. "
				+ "If the command is killed, the keys expire. Run it on a machine and network like those of the "
				+ "clients.")
final class BenchCommand extends ResultCommand {

	/**
	 * Maximum total size of the values without --force, in bytes. The store keeps them in
	 * memory.
	 */
	private static final long MAX_SIZE = 64_000_000;

	/** How long the keys outlive the measurement. */
	private static final Duration GRACE = Duration.ofMinutes(1);

	/** Delays the next request of a sequence after an error. */
	private static final Executor AFTER_ERROR = CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS);

	@Option(names = "--in-flight", paramLabel = "<number>", split = ",", defaultValue = "1,16,128",
			description = "Requests in flight, 1 to 1000. Each number in a list is measured separately (default: "
					+ "${DEFAULT-VALUE})")
	private List<Integer> inFlight = new ArrayList<>();

	@Option(names = "--for", paramLabel = "<time>", defaultValue = "5s",
			description = "Duration of each measurement (default: ${DEFAULT-VALUE})")
	private Duration duration = Duration.ZERO;

	@Option(names = "--warm-up", paramLabel = "<time>", defaultValue = "2s",
			description = "Duration of the load that precedes the first measurement (default: ${DEFAULT-VALUE})")
	private Duration warmUp = Duration.ZERO;

	@Option(names = "--size", paramLabel = "<bytes>", defaultValue = "100",
			description = "Size of the values, 0 to 1000000 bytes (default: ${DEFAULT-VALUE})")
	private int size;

	@Option(names = "--reads", paramLabel = "<percent>", defaultValue = "50",
			description = "Percentage of GET requests. The other requests are SET (default: ${DEFAULT-VALUE})")
	private int reads;

	@Option(names = "--keys", paramLabel = "<number>", defaultValue = "100",
			description = "Number of keys, 1 to 100000 (default: ${DEFAULT-VALUE})")
	private int keys;

	@Option(names = "--force", description = "Allow values of more than 64 MB in total")
	private boolean force;

	@Override
	void validate() {
		for (int number : this.inFlight) {
			requireRange("--in-flight", number, 1, 1000);
		}
		requireRange("--size", this.size, 0, 1_000_000);
		requireRange("--reads", this.reads, 0, 100);
		requireRange("--keys", this.keys, 1, 100_000);
		long total = (long) this.keys * this.size;
		CliException.require(total <= MAX_SIZE || this.force,
				"With --keys and --size, the values are " + total / 1_000_000
						+ " MB in total, which the server keeps in memory; use less than 64 MB, or --force");
	}

	private static void requireRange(String option, int value, int min, int max) {
		CliException.require(value >= min && value <= max,
				"The value of " + option + " is " + value + "; use " + min + " to " + max);
	}

	@Override
	int run(Session session) {
		StateStoreTemplate template = session.template();
		List<Key> keys = IntStream.range(0, this.keys)
			.mapToObj((i) -> Key.of("statestore-cli/bench/" + session.connection().getClientId() + '/' + i))
			.toList();
		// Fails immediately if there is no connection, before any key is set.
		template.get(keys.get(0), Bytes.class);
		long requests = 0;
		long errors = 0;
		try (Stop stop = Stop.onSignals();
				RecordWriter records = records("inFlight requests perSecond p50ms p99ms maxMs errors")) {
			new Run(template, keys).measure(this.inFlight.get(0), this.warmUp, stop);
			for (int number : this.inFlight) {
				if (!stop.isRequested()) {
					Run run = new Run(template, keys);
					long nanos = run.measure(number, this.duration, stop);
					long count = run.latencies.count();
					records.write(number, count, Math.round(count * 1e9 / nanos),
							Latencies.millis(run.latencies.percentile(0.5)),
							Latencies.millis(run.latencies.percentile(0.99)), Latencies.millis(run.latencies.max()),
							run.errors);
					requests += count;
					errors += run.errors.get();
				}
			}
		}
		finally {
			delete(template, keys);
		}
		if (errors > 0 || requests == 0) {
			message((errors > 0) ? errors + " requests failed. For details, use --verbose" : "No request was measured");
			return ExitCodes.FAILED;
		}
		return ExitCodes.OK;
	}

	private void delete(StateStoreTemplate template, List<Key> keys) {
		AtomicInteger failures = new AtomicInteger();
		Session.forEachBatch(keys.iterator(),
				(batch) -> batch.stream().map((key) -> template.async().delete(key).exceptionally((failure) -> {
					failures.incrementAndGet();
					return null;
				})).toList().forEach(CompletableFuture::join));
		if (failures.get() > 0) {
			message("Could not delete " + failures + " keys; they expire within the duration of the command and "
					+ GRACE.toSeconds() + " s");
		}
	}

	/**
	 * Measurement with a constant number of requests in flight: each reply triggers the
	 * next request.
	 */
	private final class Run {

		private final StateStoreAsyncOperations operations;

		private final List<Key> keys;

		private final Bytes value = Bytes.wrap(new byte[BenchCommand.this.size]);

		private final Duration expiry = BenchCommand.this.duration.multipliedBy(BenchCommand.this.inFlight.size())
			.plus(BenchCommand.this.warmUp)
			.plus(GRACE);

		/** Round trips of successful requests. */
		private final Latencies latencies = new Latencies();

		private final AtomicLong errors = new AtomicLong();

		/** Counts the request sequences that have not ended. */
		private final Phaser running = new Phaser(1);

		private volatile boolean ended;

		Run(StateStoreTemplate template, List<Key> keys) {
			this.operations = template.async();
			this.keys = keys;
		}

		/**
		 * Measures until the duration has passed or the command must end.
		 * @return the actual duration in nanoseconds
		 */
		long measure(int inFlight, Duration duration, Stop stop) {
			this.running.bulkRegister(inFlight);
			long start = System.nanoTime();
			for (int i = 0; i < inFlight; i++) {
				send();
			}
			stop.await(duration);
			this.ended = true;
			this.running.arriveAndAwaitAdvance();
			return System.nanoTime() - start;
		}

		private void send() {
			if (this.ended) {
				this.running.arriveAndDeregister();
				return;
			}
			ThreadLocalRandom random = ThreadLocalRandom.current();
			Key key = this.keys.get(random.nextInt(this.keys.size()));
			long sent = System.nanoTime();
			CompletableFuture<?> reply = (random.nextInt(100) < BenchCommand.this.reads)
					? this.operations.get(key, Bytes.class)
					: this.operations.set(key, this.value, (spec) -> spec.expire(this.expiry));
			reply.whenComplete((result, failure) -> {
				if (failure == null) {
					this.latencies.add(System.nanoTime() - sent);
					send();
				}
				else {
					this.errors.incrementAndGet();
					AFTER_ERROR.execute(this::send);
				}
			});
		}

	}

}
