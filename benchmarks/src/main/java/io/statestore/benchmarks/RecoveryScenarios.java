package io.statestore.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.statestore.client.Key;
import io.statestore.client.mqtt.Transport;
import io.statestore.protocol.Bytes;
import org.springframework.util.FileSystemUtils;

/**
 * Scenarios of a restart with many keys: the time of the recovery, and the size of the
 * data. The servers are killed before each start.
 */
final class RecoveryScenarios {

	private static final int KEYS = 1_000_000;

	private static final int IN_FLIGHT = 256;

	/** Line in which a server reports the duration of its recovery. */
	private static final Pattern REPORTED = Pattern
		.compile("DB loaded from append only file: ([0-9.]+) seconds|Recovered .* in ([0-9]+) ms");

	private final Map<DurableServer, Path> loaded = new EnumMap<>(DurableServer.class);

	private final Path directory;

	RecoveryScenarios(Path directory) {
		this.directory = directory.resolve("recovery");
	}

	List<Scenario> all() {
		String recovery = "recovery of 1,000,000 keys of 100 B, ";
		List<Goal> goals = List.of(Goal.atMost(DurableServer.ALWAYS.toString(), DurableServer.REDIS.toString(), 1.5));
		return List.of(
				new Scenario(recovery + "from the start of the process to the first reply", "ms",
						implementations((server) -> restart(server).millis()), goals),
				new Scenario(recovery + "as reported by the server", "ms",
						implementations((server) -> reported(restart(server))), goals),
				new Scenario("size on disk per key, 1,000,000 keys of 100 B", "B",
						implementations((server) -> (double) size(loaded(server)) / KEYS)));
	}

	private List<Implementation.Factory> implementations(Measure measure) {
		return Stream.of(DurableServer.ALWAYS, DurableServer.REDIS)
			.filter(DurableServer::isInstalled).<Implementation
					.Factory>map((server) -> () -> new RecoveredServer(server, measure))
			.toList();
	}

	/** Returns the directory of a server that was killed with all keys. */
	private Path loaded(DurableServer server) throws Exception {
		Path directory = this.loaded.get(server);
		if (directory == null) {
			directory = this.directory.resolve(server.name());
			ServerProcess process = server.start(directory);
			try (Caller caller = server.connect(process.port(), KEYS)) {
				CallMeasures.make(caller, KEYS, IN_FLIGHT);
			}
			process.kill();
			this.loaded.put(server, directory);
		}
		return directory;
	}

	/** Starts a server with a copy of its data, and kills it after its first reply. */
	private Restart restart(DurableServer server) throws Exception {
		Path copy = this.directory.resolve("copy");
		FileSystemUtils.deleteRecursively(copy);
		FileSystemUtils.copyRecursively(loaded(server), copy);
		DurabilityScenarios.sync();
		long start = System.nanoTime();
		ServerProcess process = server.start(copy);
		try {
			if (server == DurableServer.REDIS) {
				awaitPong(process.port());
			}
			else {
				requireLastKey(process.port());
			}
			return new Restart((System.nanoTime() - start) / 1e6, copy.resolve(DurableServer.OUTPUT));
		}
		finally {
			process.kill();
		}
	}

	private static void requireLastKey(int port) {
		try (Client client = new Client(port, Transport.NETTY)) {
			client.template.get(Key.of(KeyCallers.key(KEYS - 1)), Bytes.class).orElseThrow();
		}
	}

	/** Waits until Redis has loaded its data. Until then, it answers with an error. */
	private static void awaitPong(int port) throws IOException, InterruptedException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			BufferedReader replies = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
			String reply = "";
			while (!"+PONG".equals(reply)) {
				Thread.sleep(1);
				socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
				reply = replies.readLine();
			}
		}
	}

	private static double reported(Restart restart) throws IOException {
		String output = Files.readString(restart.output());
		Matcher matcher = REPORTED.matcher(output);
		if (!matcher.find()) {
			throw new IOException("The server has not reported the duration of its recovery:\n" + output);
		}
		return (matcher.group(1) != null) ? Double.parseDouble(matcher.group(1)) * 1000
				: Double.parseDouble(matcher.group(2));
	}

	private static long size(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory.resolve(DurableServer.DATA))) {
			return files.filter(Files::isRegularFile).mapToLong((file) -> file.toFile().length()).sum();
		}
	}

	/**
	 * A restart.
	 *
	 * @param millis time from the start of the process to the first reply, in ms
	 * @param output file with the output of the server
	 */
	private record Restart(double millis, Path output) {
	}

	/** Measures one round. */
	@FunctionalInterface
	private interface Measure {

		double of(DurableServer server) throws Exception;

	}

	private record RecoveredServer(DurableServer server, Measure round) implements Implementation {

		@Override
		public String name() {
			return this.server.toString();
		}

		@Override
		public double measure() throws Exception {
			return this.round.of(this.server);
		}

		@Override
		public void close() {
			// Every process has already ended
		}

	}

}
