package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.conformance.Hlc;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.gateway.GatewayNode;
import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.cluster.transport.Elections;
import io.statestore.test.Mosquitto;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests three gateways that form a single store on Mosquitto. */
@Timeout(120)
@RequiresProgram("mosquitto")
@TestMethodOrder(OrderAnnotation.class)
class GatewayClusterTests {

	@TempDir
	private static Path directory;

	private static Mosquitto mosquitto;

	private static final Map<String, GatewayNode> nodes = new TreeMap<>();

	@BeforeAll
	static void start() throws Exception {
		mosquitto = Mosquitto.start();
		TestNodes addresses = new TestNodes(directory, "a", "b", "c");
		for (String name : List.of("a", "b", "c")) {
			nodes.put(name,
					StateStoreGateway.builder()
						.host("127.0.0.1")
						.port(mosquitto.port())
						.cluster(addresses.options(name, InitialState.NEW_CLUSTER))
						.startNode());
		}
		Elections.begin("statestore", addresses.endpoints(nodes.keySet()));
		await().until(() -> nodes.values().stream().allMatch(GatewayNode::isReady));
	}

	@AfterAll
	static void stop() {
		nodes.values().forEach(GatewayNode::close);
		if (mosquitto != null) {
			mosquitto.close();
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(10));
	}

	private static List<String> serving() {
		return nodes.keySet().stream().filter((name) -> node(name).isServing()).toList();
	}

	private static GatewayNode node(String name) {
		return Objects.requireNonNull(nodes.get(name));
	}

	@Order(1)
	@Test
	void servesOnLeaderOnly() {
		await().until(() -> serving().size() == 1);
		assertThat(nodes.values()).extracting(GatewayNode::leadership)
			.filteredOn((leadership) -> leadership.leading())
			.extracting((leadership) -> leadership.node())
			.isEqualTo(serving());
	}

	@Order(2)
	@Test
	void nextLeaderTakesOverClientsAndWatches() {
		await().until(() -> serving().size() == 1);
		String first = serving().get(0);
		String next = nodes.keySet().stream().filter((name) -> !name.equals(first)).findFirst().orElseThrow();
		try (StoreClient client = StoreClient.connect(mosquitto.port(), "client");
				StoreClient watcher = StoreClient.connect(mosquitto.port(), "watcher")) {
			String version = Hlc.of(client.call("SET", "k", "v0")).unpadded();
			await().until(() -> Resp.text(client.call("REPLACE", "k", "v1", version)).equals("+OK⏎"));
			watcher.watch("k");

			node(first).transferLeadership(next);
			await().until(() -> serving().equals(List.of(next)));

			RawPublish read = client.call("GET", "k");
			assertThat(Resp.text(read)).contains("v1");
			assertThat(Resp.text(client.call("REPLACE", "k", "stale", version))).isEqualTo("$2⏎v1⏎");
			assertThat(Resp.text(client.call("REPLACE", "k", "v2", Hlc.of(read).unpadded()))).isEqualTo("+OK⏎");
			await().until(() -> watcher.notification("k").payload.length > 0);

			Objects.requireNonNull(nodes.remove(next)).close();
			await().until(() -> serving().size() == 1);
			assertThat(Resp.text(client.call("GET", "k"))).contains("v2");
		}
	}

}
