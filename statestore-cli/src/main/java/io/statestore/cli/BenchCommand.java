package io.statestore.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.cli.BenchRun.Load;
import io.statestore.client.Key;
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
		List<Key> keys = new ArrayList<>();
		for (int i = 0; i < this.keys; i++) {
			keys.add(Key.of("statestore-cli/bench/" + session.connection().getClientId() + '/' + i));
		}
		Duration expiry = this.duration.multipliedBy(this.inFlight.size()).plus(this.warmUp).plus(GRACE);
		Load load = new Load(keys, Bytes.wrap(new byte[this.size]), this.reads, expiry);
		// Fails immediately if there is no connection, before any key is set.
		template.get(keys.get(0), Bytes.class);
		long requests = 0;
		long errors = 0;
		try (Stop stop = Stop.onSignals();
				RecordWriter records = records("inFlight", "requests", "perSecond", "p50ms", "p99ms", "maxMs",
						"errors")) {
			new BenchRun(template, load, this.inFlight.get(0), stop).run(this.warmUp);
			for (int number : this.inFlight) {
				if (!stop.isRequested()) {
					BenchRun.Result result = new BenchRun(template, load, number, stop).run(this.duration);
					requests += result.latencies().count();
					errors += result.errors();
					print(records, number, result);
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

	private static void print(RecordWriter records, int inFlight, BenchRun.Result result) {
		Latencies latencies = result.latencies();
		long requests = latencies.count();
		records.write(inFlight, requests, Math.round(requests * 1e9 / result.nanos()),
				millis(latencies.percentile(0.5)), millis(latencies.percentile(0.99)), millis(latencies.max()),
				result.errors());
	}

	private static double millis(long nanos) {
		return TimeUnit.NANOSECONDS.toMicros(nanos) / 1000.0;
	}

	private void delete(StateStoreTemplate template, List<Key> keys) {
		int failures = 0;
		for (int from = 0; from < keys.size(); from += 500) {
			List<CompletableFuture<?>> deletions = new ArrayList<>();
			keys.subList(from, Math.min(keys.size(), from + 500))
				.forEach((key) -> deletions.add(template.async().delete(key)));
			for (CompletableFuture<?> deletion : deletions) {
				failures += deletion.handle((result, failure) -> (failure != null) ? 1 : 0).join();
			}
		}
		if (failures > 0) {
			message("Could not delete " + failures + " keys; they expire within the duration of the command and "
					+ GRACE.toSeconds() + " s");
		}
	}

}
