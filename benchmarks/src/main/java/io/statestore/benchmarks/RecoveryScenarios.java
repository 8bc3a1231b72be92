package io.statestore.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.statestore.protocol.Bytes;

import org.springframework.util.FileSystemUtils;

/**
 * Scenarios for a restart with many keys: recovery time and data size. The servers are
 * killed before each start.
 */
record RecoveryScenarios(Servers servers) {

	private static final Calls CALLS = new Calls(Calls.Operation.SET, 1_000_000, 100);

	/** Matches the line in which a server reports the duration of its recovery. */
	private static final Pattern REPORTED = Pattern
		.compile("DB loaded from append only file: ([0-9.]+) seconds|Recovered .* in ([0-9]+) ms");

	List<Scenario> all() {
		String recovery = "recovery of 1,000,000 keys of 100 B, ";
		Goal goal = Goal.atMost(DurabilityScenarios.ALWAYS.name(), DurabilityScenarios.REDIS.name(), 1.5);
		return List.of(
				new Scenario(recovery + "from the start of the process to the first reply", "ms",
						peers((server) -> restart(server).millis()), goal),
				new Scenario(recovery + "as reported by the server", "ms",
						peers((server) -> reported(restart(server).output())), goal),
				new Scenario("size on disk per key, 1,000,000 keys of 100 B", "B",
						peers((server) -> (double) size(loaded(server)) / CALLS.keys())));
	}

	private List<Peer> peers(Peer.Measure<Server> measure) {
		return Stream.of(DurabilityScenarios.ALWAYS, DurabilityScenarios.REDIS)
			.map((server) -> new Peer(server.name(), (resources) -> () -> measure.of(server)).on(server))
			.toList();
	}

	/** Returns the directory of a server that was killed when it had all keys. */
	private Path loaded(Server server) throws Exception {
		Path directory = this.servers.directory("recovery " + server.name());
		if (!Files.exists(directory)) {
			try (Store store = new Store(server, directory); Caller caller = store.connect(CALLS, 0)) {
				Measures.make(caller, CALLS.keys(), Measures.IN_FLIGHT);
			}
		}
		return directory;
	}

	/** Starts a server with a copy of the data and kills it after its first reply. */
	private Restart restart(Server server) throws Exception {
		Path copy = this.servers.directory("copy");
		FileSystemUtils.deleteRecursively(copy);
		FileSystemUtils.copyRecursively(loaded(server), copy);
		Servers.sync();
		long start = System.nanoTime();
		try (Store store = new Store(server, copy)) {
			awaitReply(server, store.port(0));
			return new Restart((System.nanoTime() - start) / 1e6, store.output(0));
		}
	}

	/**
	 * Waits for a reply that requires data. Redis refuses even a PING until it has loaded
	 * its data.
	 */
	private static void awaitReply(Server server, int port) throws IOException, InterruptedException {
		if (server != DurabilityScenarios.REDIS) {
			try (Client client = new Client(port)) {
				client.template.get(Calls.key(CALLS.keys() - 1), Bytes.class).orElseThrow();
			}
			return;
		}
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			Scanner replies = new Scanner(socket.getInputStream(), StandardCharsets.US_ASCII);
			do {
				Thread.sleep(1);
				socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			}
			while (!replies.nextLine().equals("+PONG"));
		}
	}

	private static double reported(String output) {
		MatchResult report = new Scanner(output).findAll(REPORTED)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("The server has not reported its recovery:\n" + output));
		return (report.group(1) != null) ? Double.parseDouble(report.group(1)) * 1000
				: Double.parseDouble(report.group(2));
	}

	private static long size(Path directory) throws IOException {
		try (Stream<Path> files = Files.walk(directory.resolve("0/data"))) {
			return files.filter(Files::isRegularFile).mapToLong((file) -> file.toFile().length()).sum();
		}
	}

	/**
	 * A restart.
	 *
	 * @param millis milliseconds from the start of the process to the first reply
	 * @param output the server's output
	 */
	private record Restart(double millis, String output) {
	}

}
