package io.statestore.broker.artemis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttPublishVariableHeader;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.Packets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BacklogTests {

	private final MemoryBudget budget = MemoryBudget.unlimited();

	private final Backlog backlog = new Backlog(this.budget.open());

	private final EmbeddedChannel channel = new EmbeddedChannel(this.backlog);

	private final List<Boolean> changes = new ArrayList<>();

	BacklogTests() {
		this.backlog.setListener(this.changes::add);
	}

	@AfterEach
	void close() {
		this.channel.finishAndReleaseAll();
	}

	@Test
	void isFullAboveMaximumNumber() {
		write(Backlog.MAX_PACKETS, "x");
		assertThat(this.changes).isEmpty();
		write(1, "x");
		assertThat(this.changes).containsExactly(true);
		execute();
		assertThat(this.changes).containsExactly(true, false);
		assertThat(this.budget.used()).isZero();
	}

	@Test
	void isFullAboveMaximumSize() {
		write(1, "x".repeat((int) Backlog.MAX_BYTES / 2));
		assertThat(this.changes).isEmpty();
		assertThat(this.budget.used(MemoryUse.INCOMING)).isGreaterThan(Backlog.MAX_BYTES / 2);
		write(1, "x".repeat((int) Backlog.MAX_BYTES / 2));
		assertThat(this.changes).containsExactly(true);
		execute();
		assertThat(this.changes).containsExactly(true, false);
		assertThat(this.budget.used()).isZero();
	}

	@Test
	void countsEmptyUserProperties() {
		MqttProperties properties = new MqttProperties();
		for (int i = 0; i < 10_000; i++) {
			properties.add(new MqttProperties.UserProperty("", ""));
		}
		this.channel.writeInbound(MqttMessageBuilders.publish()
			.topicName("a")
			.qos(MqttQoS.AT_MOST_ONCE)
			.properties(properties)
			.payload(Unpooled.EMPTY_BUFFER)
			.build());
		assertThat(this.changes).containsExactly(true);
	}

	@Test
	void doesNotCountPingsAndDisconnects() {
		this.channel.writeInbound(Packets.pingRequest());
		this.channel.writeInbound(MqttMessageBuilders.disconnect().build());
		List<MqttMessageType> types = new ArrayList<>();
		for (MqttMessage passed = this.channel.readInbound(); passed != null; passed = this.channel.readInbound()) {
			types.add(passed.fixedHeader().messageType());
		}
		assertThat(types).containsExactly(MqttMessageType.PINGREQ, MqttMessageType.DISCONNECT);
	}

	private void write(int count, String payload) {
		for (int i = 0; i < count; i++) {
			this.channel.writeInbound(publish(payload));
		}
	}

	private static MqttPublishMessage publish(String payload) {
		return new MqttPublishMessage(
				new MqttFixedHeader(MqttMessageType.PUBLISH, false, MqttQoS.AT_MOST_ONCE, false, payload.length()),
				new MqttPublishVariableHeader("a", 0), Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8));
	}

	/** Releases all packets, as Artemis does after executing them. */
	private void execute() {
		Object passed = this.channel.readInbound();
		while (passed != null) {
			ReferenceCountUtil.release(passed);
			passed = this.channel.readInbound();
		}
		this.channel.runPendingTasks();
	}

}
