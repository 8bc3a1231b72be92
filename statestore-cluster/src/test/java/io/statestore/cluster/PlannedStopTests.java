package io.statestore.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import ch.qos.logback.classic.Level;
import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests stops of leaders, as in a rolling restart. */
@Timeout(120)
@TestMethodOrder(OrderAnnotation.class)
@Isolated("captures the log")
class PlannedStopTests {

	private static final int USE_ANOTHER_SERVER = 0x9C;

	@TempDir
	private static Path directory;

	private static BrokerCluster cluster;

	/**
	 * Makes the first member lead. The next leader would ask this member first to take
	 * over.
	 */
	@BeforeAll
	static void start() throws Exception {
		cluster = new BrokerCluster(directory, UnaryOperator.identity());
		if (!cluster.leader().equals("a")) {
			cluster.broker(cluster.leader()).transferLeadership("a");
		}
		BrokerCluster.await().until(() -> cluster.leader().equals("a"));
		cluster.awaitReady();
	}

	@AfterAll
	static void stop() {
		if (cluster != null) {
			cluster.close();
		}
	}

	@Order(1)
	@Test
	void stoppedLeaderRefusesNoRequestAndNamesReason() throws Exception {
		String leader = cluster.leader();
		StateStoreBroker broker = cluster.broker(leader);
		StoreClient client = StoreClient.connect(broker.port(), "writer");
		CompletableFuture<List<Integer>> written = CompletableFuture.supplyAsync(() -> write(client));
		BrokerCluster.await().until(() -> broker.statistics().store().keys() > 0);
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> cluster.stop(leader));
		assertThat(client.mqtt().awaitDisconnect()).isEqualTo(USE_ANOTHER_SERVER);
		assertThat(written.get(20, TimeUnit.SECONDS)).isNotEmpty().containsOnly(0);
		stopped.get(60, TimeUnit.SECONDS);
		cluster.awaitReady();
		try (StoreClient again = nextClient()) {
			assertThat(Resp.text(again.call("SET", "k", "again"))).isEqualTo("+OK⏎");
		}
	}

	/** Connects, even while the next leader may not serve clients yet. */
	private static StoreClient nextClient() {
		return BrokerCluster.await()
			.ignoreExceptionsMatching((failure) -> true)
			.until(() -> StoreClient.connect(cluster.broker(cluster.follower()).port(), "writer"), Objects::nonNull);
	}

	/** Writes until the connection ends, and returns the reason codes. */
	private static List<Integer> write(StoreClient client) {
		List<Integer> reasons = new ArrayList<>();
		try {
			while (true) {
				RawPublish request = client.request(Resp.command("SET", "k", "v" + reasons.size()));
				reasons.add(client.mqtt().puback(client.mqtt().send(request)));
			}
		}
		catch (RuntimeException | AssertionError ex) {
			// The connection has ended.
			return reasons;
		}
	}

	/** Runs after the first test, which has stopped one of the three nodes. */
	@Order(2)
	@Test
	void stoppedLeaderHandsOverToRunningNodeImmediately() {
		String leader = cluster.leader();
		try (CapturedLog log = new CapturedLog(RaftClusterNode.class, Level.WARN)) {
			cluster.stop(leader);
			assertThat(log.messages()).isEmpty();
		}
	}

}
