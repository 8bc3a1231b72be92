package io.statestore.broker.artemis.session;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.mqtt.MqttBrokerTest;
import io.statestore.broker.mqtt.RawClient;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTStateManager;
import org.apache.activemq.artemis.core.protocol.mqtt.MQTTUtil;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Queues, sessions, and buffers that Artemis leaves behind. */
class LeftoversTests extends MqttBrokerTest {

	private static final IntegerProperty LASTING = RawClient.integer(MqttPropertyType.SESSION_EXPIRY_INTERVAL, 100);

	private static final int SIZE = 60_000;

	LeftoversTests() {
		this.budget = new MemoryBudget(10_000_000, 5_000_000);
	}

	@Test
	void queueOfQos2EndsAfterContinuedSession() throws Exception {
		SimpleString queue = SimpleString.of(MQTTUtil.QOS2_MANAGEMENT_QUEUE_PREFIX + "l1/");
		try (RawClient client = new RawClient(this.broker.port()); RawClient publisher = client("publisher")) {
			client.connect("l1", LASTING);
			client.subscribed("a", 2);
			publisher.send(publisher.publish("a", 2, "x"));
			MqttPublishMessage message = client.receivePublish();
			int packetId = message.variableHeader().packetId();
			client.send(client.reply(MqttMessageType.PUBREC, packetId));
			client.receiveReason(MqttMessageType.PUBREL);
			client.send(client.reply(MqttMessageType.PUBCOMP, packetId));
			client.ping();
		}
		assertThat(artemis().locateQueue(queue)).isNotNull();
		assertThat(this.budget.used(MemoryUse.SESSION)).isPositive();
		client("l1").close();
		await(() -> artemis().locateQueue(queue) == null);
		await(() -> this.budget.used() == 0);
	}

	@Test
	void brokenConnectionLeavesNoSession() throws Exception {
		IntStream.range(0, 1_000).parallel().forEach((i) -> {
			try {
				RawClient client = new RawClient(this.broker.port());
				client.send(RawClient.connectBuilder("l2-" + i).build());
				client.reset();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
		MQTTStateManager manager = MQTTStateManager.getInstance(artemis());
		await(() -> manager.getSessionStates().isEmpty() && manager.getConnectedClients().isEmpty());
	}

	@Test
	void willsAreReleasedWithTheirSessions() throws Exception {
		MqttMessageBuilders.ConnectBuilder will = RawClient.connectBuilder("l3")
			.willFlag(true)
			.willTopic("wills/l3")
			.willMessage(new byte[SIZE])
			.willQoS(MqttQoS.AT_LEAST_ONCE);
		MqttMessageBuilders.ConnectBuilder noWill = RawClient.connectBuilder("l3",
				new MqttProperties.UserProperty("name", "x".repeat(SIZE)));
		connect(noWill, 600);
		long growthWithoutWill = connect(noWill, 1_200);
		// Netty allocates chunks of several megabytes.
		assertThat(connect(will, 1_200)).isLessThan(growthWithoutWill + 1_200L * SIZE / 2);
	}

	/** Returns the bytes by which Netty's direct memory has grown. */
	private long connect(MqttMessageBuilders.ConnectBuilder connect, int times) throws Exception {
		ByteBufAllocatorMetric metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
		long before = metric.usedDirectMemory();
		for (int i = 0; i < times; i++) {
			try (RawClient client = new RawClient(this.broker.port())) {
				client.connect(connect.build());
				client.send(MqttMessageBuilders.disconnect().build());
				client.assertClosed();
			}
		}
		return metric.usedDirectMemory() - before;
	}

	private static void await(BooleanSupplier condition) throws Exception {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime()).as("Waited in vain").isLessThan(end);
			TimeUnit.MILLISECONDS.sleep(5);
		}
	}

}
