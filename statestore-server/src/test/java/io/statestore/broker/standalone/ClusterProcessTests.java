package io.statestore.broker.standalone;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.FreePorts;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** Three processes that form one store, started as users do. */
@Tag("long")
@Timeout(180)
class ClusterProcessTests {

	private static final List<String> NAMES = List.of("a", "b", "c");

	private static final Pattern HEALTH = Pattern.compile("http://localhost:(\\d+)/readyz");

	private static final Pattern STALE = Pattern.compile("Stale reads: port (\\d+)");

	@TempDir
	private Path directory;

	private final Map<String, StandaloneProcess> nodes = new TreeMap<>();

	private final Map<String, Integer> healthPorts = new HashMap<>();

	private String peers;

	@BeforeEach
	void start() throws Exception {
		assertThat(new CommandLine(StandaloneBroker.class).execute("certs", "--directory", file("certs"), "--node",
				"a=localhost", "b=localhost", "c=localhost"))
			.isZero();
		this.peers = NAMES.stream()
			.map((name) -> name + "=localhost:" + FreePorts.next())
			.collect(Collectors.joining(","));
		NAMES.forEach((name) -> start(name, "--new-cluster"));
		awaitReady();
	}

	@AfterEach
	void stop() {
		this.nodes.values().forEach(StandaloneProcess::close);
	}

	private String file(String name) {
		return this.directory.resolve(name).toString();
	}

	private void start(String name, String... more) {
		List<String> arguments = new ArrayList<>(List.of("-Xmx256m", "--port", "0", "--node", name, "--peers",
				this.peers, "--data", file("data-" + name), "--node-cert", file("certs/node-" + name + ".pem"),
				"--node-key", file("certs/node-" + name + "-key.pem"), "--node-ca", file("certs/ca.pem"),
				"--ready-port", "0", "--stale-port", "0"));
		arguments.addAll(List.of(more));
		StandaloneProcess process = StandaloneProcess.start(arguments.toArray(String[]::new));
		this.nodes.put(name, process);
		await().until(() -> HEALTH.matcher(process.log()).find());
		Matcher port = HEALTH.matcher(process.log());
		assertThat(port.find()).isTrue();
		this.healthPorts.put(name, Integer.parseInt(port.group(1)));
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(10));
	}

	private int health(String name, String path) throws IOException {
		HttpURLConnection connection = (HttpURLConnection) URI
			.create("http://localhost:" + this.healthPorts.get(name) + path)
			.toURL()
			.openConnection();
		try {
			return connection.getResponseCode();
		}
		finally {
			connection.disconnect();
		}
	}

	private void awaitReady() {
		for (String name : this.nodes.keySet()) {
			await().until(() -> health(name, "/readyz") == 200);
		}
	}

	private String leader() {
		List<String> leaders = new ArrayList<>();
		await().until(() -> {
			leaders.clear();
			for (String name : this.nodes.keySet()) {
				if (health(name, "/leaderz") == 200) {
					leaders.add(name);
				}
			}
			return leaders.size() == 1;
		});
		return leaders.get(0);
	}

	private String follower() {
		String leader = leader();
		return this.nodes.keySet().stream().filter((name) -> !name.equals(leader)).findFirst().orElseThrow();
	}

	private StoreClient client(String node) {
		return StoreClient.connect(node(node).port(), "client-of-" + node);
	}

	private StandaloneProcess node(String name) {
		return Objects.requireNonNull(this.nodes.get(name));
	}

	@Test
	void survivesKilledLeader() throws Exception {
		for (String name : NAMES) {
			try (StoreClient client = client(name)) {
				assertThat(Resp.text(client.call("SET", name, "of " + name))).isEqualTo("+OK⏎");
			}
		}
		String follower = follower();
		StoreClient connected = client(follower);
		connected.call("SET", "before", "1");
		String killed = leader();
		long start = System.nanoTime();
		Objects.requireNonNull(this.nodes.remove(killed)).kill();
		connected.mqtt().awaitEnd();
		long noticed = System.nanoTime();
		await().until(() -> writes(follower));
		System.out.printf("Leader killed: client disconnected after %d ms, writes accepted after %d ms%n",
				(noticed - start) / 1_000_000, (System.nanoTime() - start) / 1_000_000);
		for (String name : this.nodes.keySet()) {
			await().until(() -> health(name, "/readyz") == 200);
			try (StoreClient client = client(name)) {
				for (String key : NAMES) {
					assertThat(Resp.text(client.call("GET", key))).contains("of " + key);
				}
			}
		}
		start(killed);
		await().until(() -> health(killed, "/readyz") == 200);
		try (StoreClient client = client(killed)) {
			assertThat(Resp.text(client.call("GET", "after"))).contains("1");
		}
		assertThat(staleValueOfLastNode(follower, "after")).isEqualTo("1");
	}

	/** Kills all other nodes, and reads from the one that is left. */
	private @Nullable String staleValueOfLastNode(String last, String key) throws Exception {
		for (String name : NAMES) {
			if (!name.equals(last)) {
				Objects.requireNonNull(this.nodes.remove(name)).kill();
			}
		}
		await().until(() -> health(last, "/readyz") == 503);
		Matcher port = STALE.matcher(node(last).log());
		assertThat(port.find()).isTrue();
		try (StoreClient client = StoreClient.connect(Integer.parseInt(port.group(1)), "dashboard")) {
			return client.value(key);
		}
	}

	/** Returns whether a client can connect and write. */
	private boolean writes(String node) {
		try (StoreClient client = client(node)) {
			return Resp.text(client.call("SET", "after", "1")).equals("+OK⏎");
		}
		catch (RuntimeException | AssertionError ex) {
			return false;
		}
	}

	@Test
	void stoppedNodesKeepDataAndExitNormally() {
		try (StoreClient client = client("a")) {
			client.call("SET", "k", "v");
		}
		for (String name : NAMES) {
			StandaloneProcess process = node(name);
			process.close();
			assertThat(process.exitCode()).isZero();
		}
		NAMES.forEach((name) -> start(name));
		awaitReady();
		try (StoreClient client = client("b")) {
			assertThat(Resp.text(client.call("GET", "k"))).contains("v");
		}
	}

}
