package io.statestore.benchmarks;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Scenario for the latency of sequential SETs, both while the store writes a snapshot of
 * 1,000,000 keys and while it does not.
 */
record SnapshotScenario(Servers servers) {

	private static final Server SERVER = DurabilityScenarios.ALWAYS.with("with a snapshot");

	private static final Calls KEYS = new Calls(Calls.Operation.SET, 1_000_000, 100);

	/** A few large values that make the log grow until the store writes a snapshot. */
	private static final Calls LARGE = new Calls(Calls.Operation.SET, 10, 100_000);

	private static final String DURING = "during a snapshot";

	private static final String WITHOUT = "without a snapshot";

	Scenario scenario() {
		return new Scenario("sequential SET, 1,000,000 keys, 99th percentile", "us",
				List.of(peer(DURING, this::duringSnapshot), peer(WITHOUT, this::withoutSnapshot)),
				Goal.atMost(DURING, WITHOUT, 2));
	}

	private Peer peer(String name, Peer.Measure<Caller> measure) {
		return Peer.of(name, (Callable<Caller>) () -> {
			Caller caller = this.servers.connect(SERVER, KEYS);
			Measures.make(caller, KEYS.keys(), Measures.IN_FLIGHT);
			return caller;
		}, measure);
	}

	private double duringSnapshot(Caller caller) throws Exception {
		try (Caller large = this.servers.connect(SERVER, LARGE)) {
			for (long start = System.nanoTime(); !isWriting();) {
				Measures.make(large, 1, 1);
				if (System.nanoTime() - start > TimeUnit.MINUTES.toNanos(2)) {
					throw new IllegalStateException("The store writes no snapshot");
				}
			}
		}
		return Measures.percentile(caller, 0.99, this::isWriting, Duration.ZERO);
	}

	private double withoutSnapshot(Caller caller) throws Exception {
		while (isWriting()) {
			TimeUnit.MILLISECONDS.sleep(10);
		}
		return Measures.percentile(caller, 0.99, Measures.lasting(Duration.ofSeconds(1)), Duration.ZERO);
	}

	/** Returns whether there is an incomplete snapshot file. */
	private boolean isWriting() {
		Path directory = this.servers.directory(SERVER.name()).resolve("0/data/snapshot");
		String[] unfinished = directory.toFile().list((File parent, String name) -> !name.matches("[0-9]+[.]snapshot"));
		return unfinished != null && unfinished.length > 0;
	}

}
