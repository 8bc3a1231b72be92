package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.history.StateHistory;

/**
 * Scenarios for SETs on stores that keep data on disk: rate, latency, and bytes written.
 */
record DurabilityScenarios(Servers servers) {

	private static final int CHANGES = 1_000_000;

	private static final int CALLS_IN_FLIGHT = 50_000;

	private static final int WRITTEN_SECTORS = 6;

	private static final int SECTOR_BYTES = 512;

	/** Forces each batch to disk. */
	static final Server ALWAYS = broker("always");

	/** Forces its log to disk once per second. */
	static final Server INTERVAL = broker("interval");

	/** Leaves writing to the operating system. */
	private static final Server NEVER = broker("never");

	private static final Server MEMORY = Server.broker("ours, memory");

	static final Server REDIS = Server.redis("Lettuce on Redis, appendfsync always", true);

	private static final Server ETCD = Server.etcd("jetcd on etcd, one member", "0=http://127.0.0.1:{peer}",
			Store.Cluster.NONE);

	private static Server broker(String fsync) {
		return Server.broker("ours, fsync=" + fsync, "--data-directory", Server.DATA, "--fsync", fsync);
	}

	List<Scenario> all() {
		List<Server> writers = List.of(ALWAYS, INTERVAL, NEVER, REDIS, ETCD);
		List<Server> all = List.of(ALWAYS, INTERVAL, NEVER, MEMORY, REDIS, ETCD);
		return List.of(
				new Scenario("SET, 100 B, 256 in flight", "1/s", peers(all, Measures::inFlightOnDisk),
						Goal.atLeast(ALWAYS.name(), MEMORY.name(), 0.75), Goal.atLeast(ALWAYS.name(), ETCD.name(), 3),
						Goal.atLeast(ALWAYS.name(), REDIS.name(), 0.5), Goal.atLeast(NEVER.name(), MEMORY.name(), 0.9)),
				new Scenario("sequential SET, 100 B", "us", peers(all, Measures::sequential),
						Goal.atMost(ALWAYS.name(), REDIS.name(), 1.3)),
				amplification("SET, 100 B, 256 in flight", writers, CALLS_IN_FLIGHT, Measures.IN_FLIGHT),
				amplification("sequential SET, 100 B", writers, Measures.SEQUENTIAL_CALLS, 1));
	}

	/**
	 * Returns scenarios for brokers with and without a history, which run in this
	 * process.
	 */
	List<Scenario> history() {
		return List.of(new Scenario("history: SET, 100 B, 256 in flight", "1/s", histories(Measures::inFlight)),
				new Scenario("history: sequential SET, 100 B", "us", histories(Measures::sequential)),
				new Scenario("history: read 1,000,000 changes of 100 B", "1/s", List.of(Peer.of("ours", () -> {
					int port = start("history to read", Fsync.INTERVAL);
					try (Caller writer = Calls.SETS.ours(List.of(port))) {
						Measures.make(writer, CHANGES, Measures.IN_FLIGHT);
					}
					return new Client(port);
				}, DurabilityScenarios::read)), List.of(), 3));
	}

	private List<Peer> histories(Peer.Measure<Caller> measure) {
		return Stream.of("no history", "history", "no history, fsync=always", "history, fsync=always")
			.map((name) -> Peer.of(name, () -> {
				int port = start(name, name.endsWith("always") ? Fsync.ALWAYS : Fsync.INTERVAL);
				return Calls.SETS.ours(List.of(port));
			}, measure))
			.toList();
	}

	private int start(String name, Fsync fsync) {
		return this.servers.embedded(name,
				(broker) -> broker.storage(StorageOptions.in(this.servers.directory(name))
					.withFsync(fsync)
					.withHistory(name.startsWith("no") ? null : HistoryRetention.UNLIMITED)));
	}

	/** Reads all changes and returns their rate per second. */
	private static double read(Client client) {
		StateHistory history = new StateHistory(client.connection, Duration.ofSeconds(10));
		long start = System.nanoTime();
		long count = history.changes("*").count();
		if (count < CHANGES) {
			throw new IllegalStateException("The history has " + count + " changes only");
		}
		return Measures.perSecond(count, start);
	}

	private List<Peer> peers(List<Server> all, Peer.Measure<Caller> measure) {
		return all.stream()
			.map((server) -> Peer.of(server, () -> this.servers.connect(server, Calls.SETS), (caller) -> {
				Servers.sync();
				return measure.of(caller);
			}))
			.toList();
	}

	/** Returns the scenario for bytes written to disk per byte of keys and values. */
	private Scenario amplification(String name, List<Server> all, int calls, int inFlight) {
		return new Scenario("write amplification, " + name, "B/B", peers(all, (caller) -> {
			long before = writtenBytes(this.servers.directory);
			Measures.make(caller, calls, inFlight);
			Servers.sync();
			return (writtenBytes(this.servers.directory) - before) / (double) ((long) calls * Calls.SETS.payload());
		}));
	}

	/**
	 * Returns the number of bytes written to the disk since the operating system started.
	 * Linux's figure for a process counts entire cache pages, even if only part of a page
	 * is written.
	 */
	private static long writtenBytes(Path directory) throws IOException {
		long device = ((Number) Files.getAttribute(directory, "unix:dev")).longValue();
		long major = (device >>> 8) & 0xFFF;
		long minor = (device & 0xFF) | ((device >>> 12) & 0xFFF00);
		String[] fields = Files.readString(Path.of("/sys/dev/block/" + major + ':' + minor + "/stat"))
			.trim()
			.split(" +");
		return Long.parseLong(fields[WRITTEN_SECTORS]) * SECTOR_BYTES;
	}

}
