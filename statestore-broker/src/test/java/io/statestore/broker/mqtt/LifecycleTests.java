package io.statestore.broker.mqtt;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.test.PacketType;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

@Isolated("looks at all threads")
class LifecycleTests {

	private final EchoServer server = new EchoServer();

	private MqttBroker start(int port) {
		return MqttBroker.start(new MqttBrokerSettings("localhost", port, 1_000), this.server,
				MemoryBudget.unlimited());
	}

	@Test
	void closeDisconnectsClientsWithReason() throws Exception {
		MqttBroker broker = start(0);
		try (RawMqttConnection client = RawMqttConnection.connected(broker.port(), "l1")) {
			broker.close();
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x8B);
			client.assertClosed();
		}
		assertThat(this.server.nextEvents(2)).containsExactly("+l1", "-l1");
	}

	@Test
	void closeTakesUnderOneSecondAndIsRepeatable() throws Exception {
		// Takes the fastest of three attempts, because a busy machine may pause.
		Duration quickest = Duration.ofDays(1);
		for (int attempt = 0; attempt < 3; attempt++) {
			MqttBroker broker = start(0);
			for (int i = 0; i < 20; i++) {
				RawMqttConnection client = RawMqttConnection.connected(broker.port(), "l2-" + i);
				client.subscribed("a/" + i, 1);
			}
			long start = System.nanoTime();
			broker.close();
			Duration took = Duration.ofNanos(System.nanoTime() - start);
			quickest = (took.compareTo(quickest) < 0) ? took : quickest;
			broker.close();
		}
		assertThat(quickest).isLessThan(Duration.ofSeconds(1));
	}

	@Test
	void restartsOnSamePort() throws Exception {
		int port = 0;
		for (int i = 0; i < 5; i++) {
			MqttBroker broker = start(port);
			port = broker.port();
			try (RawMqttConnection client = RawMqttConnection.connected(port, "l3")) {
				client.ping();
				broker.close();
			}
		}
	}

	@Test
	void brokersInOneJvmAreIndependent() throws Exception {
		try (MqttBroker first = start(0); MqttBroker second = start(0)) {
			assertThat(first.port()).isNotEqualTo(second.port());
			try (RawMqttConnection one = RawMqttConnection.connected(first.port(), "l4");
					RawMqttConnection two = RawMqttConnection.connected(second.port(), "l4")) {
				one.subscribed("#", 1);
				two.subscribed("#", 1);
				one.send(one.publish("topic", 0, "1"));
				two.send(two.publish("topic", 0, "2"));
				assertThat(one.receivePublish().text()).isEqualTo("1");
				assertThat(two.receivePublish().text()).isEqualTo("2");
				first.close();
				two.ping();
			}
		}
	}

	@Test
	void errorNamesAddressInUse() throws Exception {
		try (ServerSocket taken = new ServerSocket(0)) {
			Set<Thread> before = userThreads();
			assertThatIllegalStateException().isThrownBy(() -> start(taken.getLocalPort()))
				.withMessageContaining("localhost:" + taken.getLocalPort())
				.withMessageContaining("in use")
				.withMessageContaining("configure another");
			awaitNoMoreThan(before);
		}
	}

	@Test
	void errorNamesUnknownHost() {
		assertThatIllegalStateException()
			.isThrownBy(() -> MqttBroker.start(new MqttBrokerSettings("no.such.host.invalid", 0, 1_000), this.server,
					MemoryBudget.unlimited()))
			.withMessageContaining("no.such.host.invalid:0");
	}

	@Test
	void leavesNoThreadsBehind() throws Exception {
		Set<Thread> before = userThreads();
		MqttBroker broker = start(0);
		try (RawMqttConnection client = RawMqttConnection.connected(broker.port(), "l5")) {
			client.subscribed("a", 1);
		}
		broker.close();
		awaitNoMoreThan(before);
	}

	private static Set<Thread> userThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !thread.isDaemon())
			.collect(Collectors.toSet());
	}

	private static void awaitNoMoreThan(Set<Thread> before) {
		await("the end of further threads").until(() -> before.containsAll(userThreads()));
	}

	@Test
	void leavesNoFilesBehind() throws Exception {
		Set<Path> before = files();
		try (MqttBroker broker = start(0);
				RawMqttConnection client = RawMqttConnection.connected(broker.port(), "l6")) {
			client.subscribed("a", 1);
			client.send(client.publish("a", 1, "x"));
			client.receive();
			client.receive();
			assertThat(files()).isEqualTo(before);
		}
		assertThat(files()).isEqualTo(before);
	}

	/** Returns the files of the working directory, in which a broker might store data. */
	private static Set<Path> files() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("."), 2)) {
			return files.filter((file) -> !file.startsWith("./target")).collect(Collectors.toSet());
		}
	}

}
