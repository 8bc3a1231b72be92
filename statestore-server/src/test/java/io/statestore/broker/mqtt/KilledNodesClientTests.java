package io.statestore.broker.mqtt;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

import io.statestore.broker.standalone.ClusterProcesses;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests clients that fail if they lose their session, while the leader and followers are
 * killed in turn. {@code -Dnode.kills=40} sets the number of kills.
 */
@Tag("long")
@Tag("nightly")
class KilledNodesClientTests {

	private static final int KILLS = Integer.getInteger("node.kills", 4);

	private static final int CLIENTS = 3;

	@TempDir
	Path directory;

	@Test
	@Timeout(1_800)
	void keepSessionsLocksAndAcknowledgedWrites() throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		List<String> names = List.of("a", "b", "c");
		try (ClusterProcesses cluster = new ClusterProcesses(this.directory, names)) {
			cluster.startAll("--anonymous", "all", "--new-cluster");
			AtomicInteger turn = new AtomicInteger();
			IntSupplier ports = () -> cluster.port(names.get(turn.getAndIncrement() % names.size()));
			List<StrictClient> clients = IntStream.range(0, CLIENTS)
				.mapToObj((i) -> new StrictClient("strict-" + i, ports))
				.toList();
			List<Future<Void>> running = clients.stream().map(threads::submit).toList();
			awaitWrites(clients, running);
			IntStream.range(0, CLIENTS).forEach((i) -> clients.get(i).contend("strict-" + (i + 1) % CLIENTS));
			for (int i = 0; i < KILLS; i++) {
				awaitWrites(clients, running);
				String killed = (i % 2 == 0) ? cluster.leader() : cluster.follower();
				cluster.kill(killed);
				awaitWrites(clients, running);
				cluster.start(killed, "--anonymous", "all");
				cluster.awaitReady();
			}
			clients.forEach(StrictClient::stop);
			for (Future<Void> client : running) {
				client.get(60, TimeUnit.SECONDS);
			}
			System.out.printf("%d kills: %d requests, %d reconnects, %d notifications, no session lost%n", KILLS,
					clients.stream().mapToInt(StrictClient::acknowledged).sum(),
					clients.stream().mapToInt(StrictClient::reconnects).sum(),
					clients.stream().mapToInt(StrictClient::notifications).sum());
			assertThat(clients).allMatch((client) -> client.notifications() > 0);
		}
		finally {
			threads.shutdownNow();
		}
	}

	/** Waits until each client has written several times, or a client has failed. */
	private static void awaitWrites(List<StrictClient> clients, List<Future<Void>> running) throws Exception {
		int[] enough = clients.stream().mapToInt((client) -> client.acknowledged() + 50).toArray();
		await().atMost(Duration.ofSeconds(90))
			.until(() -> running.stream().anyMatch(Future::isDone)
					|| IntStream.range(0, CLIENTS).allMatch((i) -> clients.get(i).acknowledged() >= enough[i]));
		for (Future<Void> client : running) {
			if (client.isDone()) {
				client.get();
			}
		}
	}

}
