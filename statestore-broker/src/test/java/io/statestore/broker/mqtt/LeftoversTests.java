package io.statestore.broker.mqtt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.IntStream;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawProperty;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Messages, sessions, and buffers that must not be left behind. */
class LeftoversTests extends MqttBrokerTest {

	private static final RawProperty LASTING = PropertyType.SESSION_EXPIRY_INTERVAL.of(100);

	/** No Local subscription option. */
	private static final int NO_LOCAL = 4;

	private static final int SIZE = 60_000;

	LeftoversTests() {
		this.budget = new MemoryBudget(10_000_000, 5_000_000);
	}

	@Test
	void sessionContainsNoOwnMessagesWithNoLocal() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection other = client("other")) {
			client.connect("n", LASTING);
			client.send(client.subscribe("t", 1 | NO_LOCAL));
			client.receive(PacketType.SUBACK);
			for (int i = 0; i < 10; i++) {
				client.send(client.publish("t", 1, "own"));
				client.receive(PacketType.PUBACK);
			}
			other.send(other.publish("t", 1, "foreign"));
			RawPublish message = client.receivePublish();
			assertThat(message.text()).isEqualTo("foreign");
			client.acknowledge(message);
			client.ping();
		}
	}

	@Test
	void memoryIsReleasedAfterContinuedSession() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection publisher = client("publisher")) {
			client.connect("l1", LASTING);
			client.subscribed("a", 2);
			publisher.send(publisher.publish("a", 2, "x"));
			RawPublish message = client.receivePublish();
			int packetId = message.packetId;
			client.send(RawControl.acknowledgment(PacketType.PUBREC, packetId));
			client.receiveReason(PacketType.PUBREL);
			client.send(RawControl.acknowledgment(PacketType.PUBCOMP, packetId));
			client.ping();
		}
		await().until(() -> this.budget.used(MemoryUse.SESSION) > 0);
		client("l1").close();
		await().until(() -> this.budget.used() == 0);
	}

	@Test
	void brokenConnectionLeavesNoSession() throws Exception {
		IntStream.range(0, 1_000).parallel().forEach((i) -> {
			try {
				RawMqttConnection client = new RawMqttConnection(this.broker.port());
				client.send(RawConnect.of("l2-" + i));
				client.reset();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
		await().until(() -> this.broker.connections().open() == 0 && this.budget.used() == 0);
	}

	@Test
	void willsAreReleasedWithTheirSessions() throws Exception {
		RawConnect will = RawConnect.of("l3").will(RawPublish.of((message) -> {
			message.topic = "wills/l3";
			message.payload = new byte[SIZE];
		}));
		RawConnect noWill = RawConnect.of("l3", PropertyType.user("name", "x".repeat(SIZE)));
		connect(noWill, 600);
		long growthWithoutWill = connect(noWill, 1_200);
		// Netty allocates chunks of several megabytes.
		assertThat(connect(will, 1_200)).isLessThan(growthWithoutWill + 1_200L * SIZE / 2);
	}

	/** Returns by how many bytes Netty's direct memory has grown. */
	private long connect(RawConnect connect, int times) throws Exception {
		ByteBufAllocatorMetric metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
		long before = metric.usedDirectMemory();
		for (int i = 0; i < times; i++) {
			try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
				client.connect(connect);
				client.send(RawControl.disconnect(0));
				client.assertClosed();
			}
		}
		return metric.usedDirectMemory() - before;
	}

}
