package io.statestore.cli;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.cluster.NodeAddress;
import io.statestore.cli.Cli.Result;
import io.statestore.cluster.BrokerCluster;
import io.statestore.protocol.AdministrationAccess;
import io.statestore.test.RawMqttClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The commands for a cluster of brokers, on a cluster whose nodes change. */
@Timeout(120)
@TestMethodOrder(OrderAnnotation.class)
class ClusterCommandTests {

	@TempDir
	private static Path directory;

	private static BrokerCluster cluster;

	@BeforeAll
	static void start() throws Exception {
		cluster = new BrokerCluster(directory, UnaryOperator.identity());
	}

	@AfterAll
	static void stop() {
		if (cluster != null) {
			cluster.close();
		}
	}

	private static Result run(String node, String... arguments) {
		return Cli.on(cluster.broker(node).port()).run(arguments);
	}

	private static String runSuccessfully(String node, String... arguments) {
		Result result = run(node, arguments);
		assertThat(result.exitCode()).as(result.err()).isZero();
		return result.out();
	}

	private static void assertRefused(Result result, String... reasons) {
		assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCodes.REFUSED);
		assertThat(result.err()).contains(reasons).doesNotContain("\tat ");
		assertThat(result.out()).isEmpty();
	}

	@Order(1)
	@Test
	void showsEveryNodeThroughAnyNode() {
		for (String node : List.of("a", "b", "c")) {
			String table = runSuccessfully(node, "cluster", "status");
			assertThat(table.lines().toList()).hasSize(4).first().asString().startsWith("NODE  ADDRESS");
			assertThat(table).containsPattern("(?m)^" + cluster.leader() + " .* leader ")
				.containsPattern("(?m)^" + cluster.follower() + " .* follower .* ok ");
		}
	}

	@Order(1)
	@Test
	void showsNodesAsJson() {
		String json = runSuccessfully(cluster.follower(), "cluster", "status", "-o", "json");
		assertThat(json.lines().toList()).hasSize(3)
			.allSatisfy((line) -> assertThat(line).contains("\"term\":", "\"lag\":0", "\"disk\":\"ok\""))
			.filteredOn((line) -> line.contains("\"role\":\"leader\""))
			.hasSize(1)
			.allMatch((line) -> line.contains("\"node\":\"" + cluster.leader() + '"'));
	}

	@Order(1)
	@Test
	void refusesUnknownNodes() {
		assertRefused(run("a", "cluster", "remove", "x"), "no member matches 'x'", "127.0.0.1:");
		assertRefused(run("a", "cluster", "add", "x"), "'x' is not the address of a node");
		assertRefused(run("a", "cluster", "transfer-leadership", "x"), "no member matches 'x'");
	}

	@Order(1)
	@Test
	void listsAndEndsSessionsOnLeaderThroughAnyNode() {
		String node = cluster.follower();
		try (RawMqttClient client = RawMqttClient.connect(cluster.broker(node).port(), "press", true, 60)) {
			assertThat(runSuccessfully(node, "sessions")).containsPattern("(?m)^press +- +true ");
			runSuccessfully(node, "sessions", "end", "press");
			client.awaitEnd();
			assertThat(runSuccessfully(node, "sessions")).doesNotContain("press");
		}
	}

	@Order(1)
	@Test
	void listsClientsOnAllNodesThroughAnyNode() {
		try (RawMqttClient client = RawMqttClient.connect(cluster.broker(cluster.follower()).port(), "press")) {
			for (String node : List.of("a", "b", "c")) {
				assertThat(runSuccessfully(node, "clients")).containsPattern("(?m)^press +- +127\\.0\\.0\\.1:\\d+ +20");
			}
			assertThat(client.subscribe("t")).isLessThan(0x80);
		}
	}

	@Order(1)
	@Test
	void refusesServerWithoutCluster() {
		try (StateStoreBroker broker = StateStoreBroker.builder().start()) {
			assertRefused(Cli.on(broker.port()).run("cluster", "status"), "not a node of a cluster");
		}
	}

	@Order(1)
	@Test
	void refusesUserWithoutAdminPermission() {
		try (StateStoreBroker broker = StateStoreBroker.builder().administration(AdministrationAccess.OFF).start()) {
			assertRefused(Cli.on(broker.port()).run("cluster", "remove", "a"), "does not authorize this client");
		}
	}

	@Order(2)
	@Test
	void transfersLeadership() {
		String next = cluster.follower();
		assertThat(runSuccessfully(next, "cluster", "transfer-leadership", next))
			.containsPattern("(?m)^" + next + " .* leader ");
		assertThat(cluster.leader()).isEqualTo(next);
	}

	@Order(3)
	@Test
	void addsAndRemovesNode() throws Exception {
		NodeAddress address = cluster.join("d");
		runSuccessfully(cluster.follower(), "set", "k", "v");
		String added = runSuccessfully(cluster.leader(), "cluster", "add", address.toString());
		assertThat(added.lines().toList()).hasSize(5);
		assertThat(added).containsPattern("(?m)^d +" + address + ":[0-9]+ +follower ");
		assertThat(runSuccessfully("d", "get", "k", "-o", "raw")).isEqualTo("v");
		assertThat(runSuccessfully(cluster.leader(), "cluster", "add", address.toString()).lines().toList()).hasSize(5);
		String removed = runSuccessfully(cluster.leader(), "cluster", "remove", "d");
		assertThat(removed.lines().toList()).hasSize(4);
		cluster.stop("d");
	}

	@Order(4)
	@Test
	void addWaitsForNodeThatDoesNotAnswer() throws Exception {
		Result absent = run("a", "cluster", "add", "127.0.0.1:1", "--wait", "1s");
		assertThat(absent.exitCode()).as(absent.err()).isEqualTo(ExitCodes.OUTCOME_UNKNOWN);
		assertThat(absent.err()).contains("within 1 s: node 127.0.0.1:1 does not answer", "--join");
		NodeAddress address = cluster.join("f");
		cluster.stop("f");
		CompletableFuture<Result> add;
		try (ServerSocket silent = new ServerSocket(address.port(), 0, InetAddress.getByName(address.host()))) {
			add = CompletableFuture.supplyAsync(() -> run("a", "cluster", "add", address.toString()));
			silent.accept().close();
		}
		cluster.start("f", InitialState.JOIN);
		Result added = add.get(60, TimeUnit.SECONDS);
		assertThat(added.exitCode()).as(added.err()).isZero();
		assertThat(added.out()).containsPattern("(?m)^f +" + address + ":[0-9]+ +follower ");
		runSuccessfully("a", "cluster", "remove", "f");
		cluster.stop("f");
	}

	@Order(5)
	@Test
	void replacesLeaderAfterMovingLeadership() throws Exception {
		String removed = cluster.leader();
		String other = cluster.follower();
		NodeAddress address = cluster.join("e");
		Result result = run(other, "cluster", "replace", removed, address.toString());
		assertThat(result.exitCode()).as(result.err()).isZero();
		assertThat(result.err()).contains("Stop node " + removed);
		assertThat(result.out()).containsPattern("(?m)^e +" + address).doesNotContainPattern("(?m)^" + removed + ' ');
		cluster.stop(removed);
		assertThat(runSuccessfully("e", "get", "k", "-o", "raw")).isEqualTo("v");
	}

	@Order(6)
	@Test
	void refusesChangesThatWouldStopCluster() {
		String stopped = cluster.follower();
		cluster.stop(stopped);
		String leader = cluster.leader();
		Result transfer = run(leader, "cluster", "transfer-leadership", stopped, "--wait", "1s");
		assertThat(transfer.exitCode()).isEqualTo(ExitCodes.OUTCOME_UNKNOWN);
		assertThat(transfer.err()).contains("within 1 s: node " + stopped + " cannot lead: it does not answer");
		assertThat(cluster.leader()).isEqualTo(leader);
		String removed = cluster.follower();
		assertRefused(run(leader, "cluster", "remove", removed), "the running members would not be a majority");
		assertThat(runSuccessfully(leader, "cluster", "status")).contains("unreachable", "it does not answer");
		runSuccessfully(leader, "cluster", "remove", stopped);
	}

}
