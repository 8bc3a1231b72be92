package io.statestore.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

import io.statestore.broker.cluster.ClusterOptions.InitialState;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.protocol.InvalidOptionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Tests brokers of a cluster that stop at the same time, and the largest value. */
@Timeout(120)
class BrokerCloseTests {

	private static final List<String> NAMES = List.of("a", "b", "c");

	private static final int MAX_PACKET_SIZE = 4 << 20;

	@TempDir
	private Path directory;

	@Test
	void closesAllNodesSimultaneouslyAndKeepsValue() throws Exception {
		restart("x".repeat(1_024));
	}

	/**
	 * In the usual build, the compiler makes encrypting several MiB slower than an
	 * election.
	 */
	@Test
	@Tag("long")
	void keepsLargestValue() throws Exception {
		restart("x".repeat(MAX_PACKET_SIZE - 1_024));
	}

	private void restart(String value) throws Exception {
		try (BrokerCluster cluster = new BrokerCluster(this.directory, UnaryOperator.identity())) {
			awaitReply(() -> cluster.broker(cluster.follower()).port(), "+OK⏎", "SET", "key", value);
			CompletableFuture<?>[] closed = NAMES.stream()
				.map(cluster::broker)
				.map((broker) -> CompletableFuture.runAsync(broker::close, (task) -> new Thread(task).start()))
				.toArray(CompletableFuture[]::new);
			CompletableFuture.allOf(closed).get(60, TimeUnit.SECONDS);
			// This fails if a node has not released its directory or port.
			NAMES.forEach((name) -> cluster.start(name, InitialState.EXISTING));
			cluster.elect();
			cluster.awaitReady();
			awaitReply(() -> cluster.broker(cluster.leader()).port(), value, "GET", "key");
		}
	}

	/**
	 * Repeats a request until it is answered, because leadership may move on a busy
	 * machine.
	 */
	private static void awaitReply(IntSupplier port, String reply, String... request) {
		await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
			try (StoreClient client = StoreClient.connect(port.getAsInt(), "client")) {
				assertThat(Resp.text(client.call((Object[]) request))).contains(reply);
			}
		});
	}

	@Test
	void refusesPacketsLargerThanEntries() {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> new BrokerCluster(this.directory, (broker) -> broker.maxPacketSize(MAX_PACKET_SIZE + 1)))
			.withMessageContainingAll("4194305", "in a cluster");
	}

}
