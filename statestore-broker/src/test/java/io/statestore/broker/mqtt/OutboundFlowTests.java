package io.statestore.broker.mqtt;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.mqtt.MqttProperties.StringPair;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.packet.OwnPublish;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.UserProperty;
import io.statestore.mqtt.Properties;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Isolated("captures the log")
class OutboundFlowTests extends OutboundFlowTest {

	@Test
	void usesIdsNotUsedByQueuedMessages() {
		OutboundFlow flow = flow(10);
		flow.publish(own("a"));
		pass(flow, "x");
		assertThat(written()).containsExactly("a@32769", "x@32770");
		flow.completed(32_769);
		flow.publish(own("b"));
		assertThat(written()).containsExactly("b@32771");
	}

	@Test
	void receiveMaximumLimitsBothSources() {
		OutboundFlow flow = flow(2);
		flow.publish(own("a"));
		pass(flow, "x");
		flow.publish(own("b"));
		pass(flow, "y");
		flow.publish(own("c"));
		assertThat(written()).containsExactly("a@32769", "x@32770");
		flow.completed(32_770);
		assertThat(written()).containsExactly("b@32771");
		flow.completed(32_769);
		assertThat(written()).containsExactly("y@32772");
		flow.completed(4_711);
		assertThat(written()).isEmpty();
		flow.completed(32_772);
		assertThat(written()).containsExactly("c@32773");
	}

	@Test
	void ordinaryMessageBacklogDelaysNoReply() {
		OutboundFlow flow = flow(1);
		pass(flow, "first");
		pass(flow, "second");
		pass(flow, "third");
		assertThat(written()).containsExactly("first@32769");
		flow.publish(new OwnPublish(message("reply"), 0, List.of()));
		flow.acknowledge(Packets.acknowledgment(1, 7, 0));
		assertThat(written()).containsExactly("reply@-1", "PUBACK@7");
		flow.publish(own("notification"));
		flow.completed(32769);
		assertThat(written()).containsExactly("notification@32770");
		flow.completed(32770);
		assertThat(written()).containsExactly("second@32771");
	}

	@Test
	void storeAndOrdinaryMessagesTakeTurns() {
		OutboundFlow flow = flow(1);
		pass(flow, "a1");
		pass(flow, "a2");
		pass(flow, "a3");
		flow.publish(own("b1"));
		flow.publish(own("b2"));
		List<String> sent = new ArrayList<>(written());
		for (int id = 32769; id < 32773; id++) {
			flow.completed(id);
			sent.addAll(written());
		}
		assertThat(sent).extracting((each) -> each.substring(0, 2)).containsExactly("a1", "b1", "a2", "b2", "a3");
	}

	@Test
	void waitsWhenAllIdsAreInUse() {
		OutboundFlow flow = flow(100_000);
		for (int i = 0; i < 32_767; i++) {
			flow.publish(own("a"));
		}
		assertThat(written()).hasSize(32_767).doesNotHaveDuplicates().contains("a@32769", "a@65535");
		flow.publish(own("b"));
		assertThat(written()).isEmpty();
		flow.completed(40_711);
		assertThat(written()).containsExactly("b@32768");
	}

	@Test
	void sendsAcknowledgmentAfterReply() {
		OutboundFlow flow = flow(1);
		flow.publish(own("reply 1"));
		flow.acknowledge(Packets.acknowledgment(1, 11, 0));
		flow.publish(own("reply 2"));
		flow.acknowledge(Packets.acknowledgment(1, 12, 0));
		assertThat(written()).containsExactly("reply 1@32769", "PUBACK@11");
		flow.completed(32_769);
		assertThat(written()).containsExactly("reply 2@32770", "PUBACK@12");
	}

	@Test
	void sendsQos0WithoutIdAboveReceiveMaximum() {
		OutboundFlow flow = flow(1);
		flow.publish(own("a"));
		flow.publish(new OwnPublish(message("b"), 0, List.of()));
		assertThat(written()).containsExactly("a@32769", "b@-1");
	}

	@Test
	void discardsWaitingNotificationsForTopic() {
		OutboundFlow flow = flow(1);
		long quiet = this.budget.used();
		flow.publish(own("sent"));
		flow.publish(own("waiting"));
		flow.publish(own("waiting"));
		flow.publish(new OwnPublish(new OutgoingMessage(Kind.REPLY, "topic", "reply".getBytes(UTF_8), null, List.of()),
				1, List.of()));
		flow.publish(new OwnPublish(
				new OutgoingMessage(Kind.NOTIFICATION, "other", "other".getBytes(UTF_8), null, List.of()), 1,
				List.of()));
		flow.acknowledge(Packets.acknowledgment(1, 11, 0));
		assertThat(flow.discardNotifications("topic")).isEqualTo(2);
		assertThat(written()).containsExactly("sent@32769");
		flow.completed(32_769);
		flow.completed(32_770);
		assertThat(written()).containsExactly("reply@32770", "other@32771", "PUBACK@11");
		assertThat(this.budget.used()).isEqualTo(quiet);
	}

	@Test
	void sendsAcknowledgmentAfterDiscardedNotification() {
		OutboundFlow flow = flow(1);
		flow.publish(own("sent"));
		flow.publish(own("waiting"));
		flow.acknowledge(Packets.acknowledgment(1, 11, 0));
		flow.discardNotifications("topic");
		assertThat(written()).containsExactly("sent@32769", "PUBACK@11");
	}

	@Test
	void dropsTooLargeMessagesAndWarnsOnce() {
		CapturedLog log = new CapturedLog(OutboundFlow.class, Level.WARN);
		OutboundFlow flow = flow(10);
		OwnPublish tooLarge = own("x".repeat(1_000));
		flow.publish(tooLarge);
		int room = 1_000 - (int) own("").size() - 1;
		flow.publish(own("y".repeat(room)));
		flow.publish(own("z".repeat(room + 1)));
		log.close();
		assertThat(written()).containsExactly("y".repeat(room) + "@32769");
		assertThat(log.messages()).singleElement()
			.asString()
			.contains("NOTIFICATION", "at most 1000 bytes")
			.doesNotContain("xxx");
	}

	@Test
	void waitsUntilChannelIsWritable() {
		OutboundFlow flow = flow(10);
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
		flow.publish(own("a"));
		pass(flow, "x");
		assertThat(written()).isEmpty();
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
		flow.drain();
		assertThat(written()).containsExactly("a@32769", "x@32770");
	}

	@Test
	void sendsEachMessageOnceWhenWritabilityChanges() {
		OutboundFlow flow = flow(1_000);
		this.channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 300));
		this.channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
			@Override
			public void channelWritabilityChanged(ChannelHandlerContext context) {
				flow.drain();
				context.flush();
			}
		});
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
		List<String> expected = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			flow.publish(own("m" + i));
			flow.acknowledge(Packets.acknowledgment(1, 1 + i, 0));
			expected.add("m" + i + "@" + (32_769 + i));
			expected.add("PUBACK@" + (1 + i));
		}
		assertThat(this.channel.outboundMessages()).isEmpty();
		this.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
		this.channel.runPendingTasks();
		assertThat(written()).isEqualTo(expected);
	}

	@Test
	void reportsFailedWrite() {
		List<Throwable> caught = new ArrayList<>();
		this.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
			@Override
			public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
				promise.setFailure(new OutOfMemoryError("on purpose"));
			}
		});
		this.channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
			@Override
			public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
				caught.add(cause);
			}
		});
		flow(10).publish(own("a"));
		assertThat(written()).isEmpty();
		assertThat(caught).singleElement().isInstanceOf(OutOfMemoryError.class);
	}

	@Test
	void sendsNoPartOfFailedMessage() {
		List<UserProperty> failing = new AbstractList<>() {

			private int calls;

			@Override
			public UserProperty get(int index) {
				if (++this.calls > 2) {
					throw new IllegalStateException("on purpose");
				}
				return new UserProperty("name", "value");
			}

			@Override
			public int size() {
				return 2;
			}

		};
		OutboundFlow flow = flow(10);
		flow.publish(own("a"));
		OwnPublish publish = new OwnPublish(new OutgoingMessage(Kind.NOTIFICATION, "topic", new byte[0], null, failing),
				1, List.of());
		assertThatIllegalStateException().isThrownBy(() -> flow.publish(publish));
		flow.publish(own("b"));
		assertThat(written()).containsExactly("a@32769", "b@32771");
	}

	@Test
	void omitsTraceContextForClientWithSmallPackets() {
		OutgoingMessage message = message("m".repeat(900));
		OutgoingMessage traced = new OutgoingMessage(message.kind(), message.topic(), message.payload(), null,
				List.of(new UserProperty("__ts", "1:0:StateStore"), new UserProperty("baggage", "a".repeat(200))));
		OutboundFlow flow = flow(10);
		flow.publish(new OwnPublish(traced, 1, List.of()));
		MqttPublishMessage sent = (MqttPublishMessage) packets().get(0);
		assertThat(Properties.userProperties(sent.variableHeader().properties()))
			.containsExactly(new StringPair("__ts", "1:0:StateStore"));
	}

	@Test
	void countsTraceContextOfWaitingMessage() {
		OutgoingMessage message = message("m");
		OutgoingMessage traced = new OutgoingMessage(message.kind(), message.topic(), message.payload(), null,
				List.of(new UserProperty("baggage", "a".repeat(500))));
		OutboundFlow flow = flow(1);
		flow.publish(own("first"));
		flow.publish(new OwnPublish(message, 1, List.of()));
		long withoutTrace = this.budget.used();
		flow.publish(new OwnPublish(traced, 1, List.of()));
		assertThat(this.budget.used() - 2 * withoutTrace).isGreaterThanOrEqualTo(500);
	}

}
