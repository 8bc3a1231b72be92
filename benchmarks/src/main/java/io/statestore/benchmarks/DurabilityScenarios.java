package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Scenarios of SETs on stores that keep data on disk: their rate, their latency, and the
 * bytes that they write.
 */
final class DurabilityScenarios {

	private static final Duration ROUND = Duration.ofSeconds(1);

	private static final int CALLS_IN_FLIGHT = 50_000;

	private static final int WRITTEN_SECTORS = 6;

	private static final int SECTOR_BYTES = 512;

	/** Forces each batch to the disk. */
	static final Server ALWAYS = broker("always");

	/** Forces its log to the disk once per second. */
	static final Server INTERVAL = broker("interval");

	/** Leaves writing to the operating system. */
	private static final Server NEVER = broker("never");

	private static final Server MEMORY = Server.broker("ours, memory");

	static final Server REDIS = Server.redis("Lettuce on Redis, appendfsync always", true);

	private static final Server ETCD = Server.etcd("jetcd on etcd, one member", "only=http://127.0.0.1:{peer}");

	private DurabilityScenarios() {
	}

	private static Server broker(String fsync) {
		return Server.broker("ours, fsync=" + fsync, "--data-directory", Server.DATA, "--fsync", fsync);
	}

	static List<Scenario> all(Servers servers) {
		List<Server> writers = List.of(ALWAYS, INTERVAL, NEVER, REDIS, ETCD);
		List<Server> all = List.of(ALWAYS, INTERVAL, NEVER, MEMORY, REDIS, ETCD);
		return List.of(
				new Scenario("SET, 100 B, 256 in flight", "1/s",
						peers(servers, all, (caller) -> Measures.inFlight(caller, ROUND)),
						Goal.atLeast(ALWAYS.name(), MEMORY.name(), 0.75), Goal.atLeast(ALWAYS.name(), ETCD.name(), 3),
						Goal.atLeast(ALWAYS.name(), REDIS.name(), 0.5), Goal.atLeast(NEVER.name(), MEMORY.name(), 0.9)),
				new Scenario("sequential SET, 100 B", "us", peers(servers, all, Measures::sequential),
						Goal.atMost(ALWAYS.name(), REDIS.name(), 1.3)),
				new Scenario("write amplification, SET, 100 B, 256 in flight", "B/B",
						peers(servers, writers,
								(caller) -> amplification(servers, caller, CALLS_IN_FLIGHT, Measures.IN_FLIGHT))),
				new Scenario("write amplification, sequential SET, 100 B", "B/B", peers(servers, writers,
						(caller) -> amplification(servers, caller, Measures.SEQUENTIAL_CALLS, 1))));
	}

	private static List<Peer> peers(Servers servers, List<Server> all, Peer.Measure<Caller> measure) {
		return all.stream()
			.filter(Server::isInstalled)
			.map((server) -> Peer.of(server.name(), () -> servers.connect(server, Calls.SETS), (caller) -> {
				Servers.sync();
				return measure.of(caller);
			}))
			.toList();
	}

	/** Returns the bytes written to the disk per byte of keys and values. */
	private static double amplification(Servers servers, Caller caller, int calls, int inFlight) throws Exception {
		long before = writtenBytes(servers.directory);
		Measures.make(caller, calls, inFlight);
		Servers.sync();
		return (writtenBytes(servers.directory) - before) / (double) ((long) calls * Calls.SETS.payload());
	}

	/**
	 * Returns the number of bytes written to the disk since the start of the system. The
	 * figure of Linux for a process counts whole units of its cache, also if only a part
	 * of one is written.
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
