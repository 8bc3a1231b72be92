package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Scenarios of SETs on stores that keep data on disk: their rate, their latency, and the
 * bytes that they write. Each store is started on first use.
 */
final class DurabilityScenarios implements AutoCloseable {

	private static final int KEYS = 10_000;

	private static final int IN_FLIGHT = 256;

	private static final Duration ROUND = Duration.ofSeconds(1);

	private static final int SEQUENTIAL_CALLS = 2_000;

	private static final int CALLS_IN_FLIGHT = 50_000;

	private static final int WRITTEN_SECTORS = 6;

	private static final int SECTOR_BYTES = 512;

	private final Map<DurableServer, ServerProcess> running = new EnumMap<>(DurableServer.class);

	private final Path directory;

	DurabilityScenarios(Path directory) {
		this.directory = directory;
	}

	List<Scenario> all() {
		String always = DurableServer.ALWAYS.toString();
		String memory = DurableServer.MEMORY.toString();
		String redis = DurableServer.REDIS.toString();
		Set<DurableServer> servers = EnumSet.allOf(DurableServer.class);
		Set<DurableServer> writers = EnumSet.complementOf(EnumSet.of(DurableServer.MEMORY));
		return List.of(new Scenario("SET, 100 B, 256 in flight", "1/s",
				implementations(servers, (caller) -> CallMeasures.inFlight(caller, IN_FLIGHT, ROUND)),
				List.of(Goal.atLeast(always, memory, 0.75), Goal.atLeast(always, DurableServer.ETCD.toString(), 3),
						Goal.atLeast(always, redis, 0.5), Goal.atLeast(DurableServer.NEVER.toString(), memory, 0.9))),
				new Scenario("sequential SET, 100 B", "us",
						implementations(servers, (caller) -> CallMeasures.sequential(caller, SEQUENTIAL_CALLS)),
						List.of(Goal.atMost(always, redis, 1.3))),
				new Scenario("write amplification, SET, 100 B, 256 in flight", "B/B",
						implementations(writers, (caller) -> amplification(caller, CALLS_IN_FLIGHT, IN_FLIGHT))),
				new Scenario("write amplification, sequential SET, 100 B", "B/B",
						implementations(writers, (caller) -> amplification(caller, SEQUENTIAL_CALLS, 1))));
	}

	/** Returns the bytes written to the disk per byte of keys and values. */
	private double amplification(Caller caller, int calls, int inFlight) throws Exception {
		long before = writtenBytes();
		CallMeasures.make(caller, calls, inFlight);
		sync();
		return (writtenBytes() - before) / (double) ((long) calls * KeyCallers.payload());
	}

	/**
	 * Returns the number of bytes written to the disk since the start of the system. The
	 * figure of Linux for a process counts whole units of its cache, also if only a part
	 * of one is written.
	 */
	private long writtenBytes() throws IOException {
		long device = ((Number) Files.getAttribute(this.directory, "unix:dev")).longValue();
		long major = (device >>> 8) & 0xFFF;
		long minor = (device & 0xFF) | ((device >>> 12) & 0xFFF00);
		String[] fields = Files.readString(Path.of("/sys/dev/block/" + major + ':' + minor + "/stat"))
			.trim()
			.split(" +");
		return Long.parseLong(fields[WRITTEN_SECTORS]) * SECTOR_BYTES;
	}

	private List<Implementation.Factory> implementations(Set<DurableServer> servers, Measure measure) {
		return servers.stream().filter(DurableServer::isInstalled).<Implementation.Factory>map((server) -> () -> {
			ServerProcess process = process(server);
			return new DurableImplementation(server, server.connect(process.port(), KEYS), measure);
		}).toList();
	}

	/** Returns the process of a server, which is started on first use. */
	ServerProcess process(DurableServer server) throws IOException, InterruptedException {
		ServerProcess process = this.running.get(server);
		if (process == null) {
			process = server.start(this.directory.resolve(server.name()));
			this.running.put(server, process);
		}
		return process;
	}

	/** Writes everything to the disk that other processes have left to the system. */
	static void sync() throws IOException, InterruptedException {
		new ProcessBuilder("sync").start().waitFor();
	}

	@Override
	public void close() throws InterruptedException {
		for (ServerProcess process : this.running.values()) {
			process.close();
		}
	}

	/** Measures one round. */
	@FunctionalInterface
	private interface Measure {

		double of(Caller caller) throws Exception;

	}

	private record DurableImplementation(DurableServer server, Caller caller, Measure round) implements Implementation {

		@Override
		public String name() {
			return this.server.toString();
		}

		@Override
		public double measure() throws Exception {
			sync();
			return this.round.of(this.caller);
		}

		@Override
		public void close() throws Exception {
			this.caller.close();
		}

	}

}
