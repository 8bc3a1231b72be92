package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.session.MemorySessionLog;
import io.statestore.broker.session.Message;
import io.statestore.broker.session.Session;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.Subscription;
import io.statestore.time.Activity;
import org.junit.jupiter.api.BeforeEach;

/** A flow to an embedded channel. */
abstract class OutboundFlowTest {

	final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());

	final ChannelHandlerContext context = this.channel.pipeline().context(ChannelInboundHandlerAdapter.class);

	final MemoryBudget budget = new MemoryBudget(1_000_000, 100_000);

	private final List<ClientLink> links = new ArrayList<>();

	int overflows;

	@BeforeEach
	void raiseWaterMark() {
		this.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 1_000_000_000));
	}

	private final SessionLog log = new MemorySessionLog(System::nanoTime);

	OutboundFlow flow(int receiveMaximum) {
		return flow(receiveMaximum, 1_000);
	}

	OutboundFlow flow(int receiveMaximum, long maxPacketSize) {
		ClientLink link = new ClientLink(this.context, this.budget.open(), (error) -> {
			throw error;
		}, () -> this.overflows++);
		this.links.add(link);
		return new OutboundFlow(link, new OutboundFlow.Receiver(receiveMaximum, maxPacketSize, (topic) -> true),
				new PendingChanges(link, this.log, () -> {
				}), 0, Activity.UNTRACKED);
	}

	/** Sends an ordinary message with QoS 1. */
	void pass(OutboundFlow flow, String payload) {
		Session session = Session.of("client", "", flow);
		this.log.sessions().routing().subscribe(session, new Subscription("topic", 1, 0));
		this.log.sessions()
			.routing()
			.deliver(new Message("topic", new byte[0], payload.getBytes(StandardCharsets.UTF_8), 1, false,
					Message.NEVER, "publisher"));
		this.log.sessions().routing().end(session);
		this.channel.runPendingTasks();
	}

	static OwnPublish own(String payload) {
		return new OwnPublish(message(payload), 1, List.of());
	}

	static OutgoingMessage message(String payload) {
		return new OutgoingMessage(Kind.NOTIFICATION, "topic", payload.getBytes(StandardCharsets.UTF_8), null,
				List.of());
	}

	/** Returns the packets written since the previous call, as payload or type and id. */
	List<String> written() {
		return packets().stream().map(OutboundFlowTest::describe).toList();
	}

	/** Returns the packets written since the previous call. */
	List<MqttMessage> packets() {
		this.links.forEach(ClientLink::flush);
		return NettyPackets.flushed(this.channel);
	}

	private static String describe(MqttMessage packet) {
		return (packet instanceof MqttPublishMessage publish)
				? NettyPackets.text(publish) + "@" + publish.variableHeader().packetId()
				: packet.fixedHeader().messageType() + "@" + Packets.packetId(packet);
	}

}
