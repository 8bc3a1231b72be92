package io.statestore.broker.mqtt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Rules of {@link OutboundFlow} from the view of a client. */
class FlowControlTests extends MqttBrokerTest {

	FlowControlTests() {
		this.budget = new MemoryBudget(100_000_000, 2_000_000);
	}

	@Test
	void receiveMaximumLimitsBothSourcesTogether() throws Exception {
		try (RawClient client = new RawClient(this.broker.port()); RawClient publisher = client("publisher")) {
			client.connect("f1", RawClient.integer(MqttPropertyType.RECEIVE_MAXIMUM, 1));
			client.subscribed("ordinary", 1);
			client.send(client.request("flood 2", "answers/f1"));
			MqttPublishMessage first = client.receivePublish();
			publisher.send(publisher.publish("ordinary", 1, "o"));
			assertThat(publisher.receiveReason(MqttMessageType.PUBACK)).isZero();
			client.ping();
			client.acknowledge(first);
			MqttPublishMessage second = client.receivePublish();
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			client.ping();
			client.acknowledge(second);
			MqttPublishMessage third = client.receivePublish();
			assertThat(RawClient.text(first) + RawClient.text(second) + RawClient.text(third)).isEqualTo("m0m1o");
			client.acknowledge(third);
			client.ping();
		}
	}

	@Test
	void packetIdsOfBothSourcesDiffer() throws Exception {
		try (RawClient client = client("f2"); RawClient publisher = client("publisher")) {
			client.subscribed("ordinary", 1);
			Set<Integer> inFlight = new HashSet<>();
			client.send(client.request("flood 100", "answers/f2"));
			for (int i = 0; i < 100; i++) {
				publisher.send(publisher.publish("ordinary", 1, "o"));
			}
			for (int i = 0; i < 200;) {
				if (client.receive() instanceof MqttPublishMessage message) {
					assertThat(inFlight.add(message.variableHeader().packetId())).isTrue();
					i++;
				}
			}
		}
	}

	@Test
	void acknowledgesRequestWhoseReplyIsTooLarge() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("f3", RawClient.integer(MqttPropertyType.MAXIMUM_PACKET_SIZE, 300));
			client.subscribed("answers/f3", 1);
			client.send(client.request("echo" + "x".repeat(200), "answers/f3"));
			assertThat(client.receiveReason(MqttMessageType.PUBACK)).isZero();
			client.send(client.request("echo", "answers/f3"));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("echo");
		}
	}

	@Test
	void disconnectsClientThatAcknowledgesNothing() throws Exception {
		try (RawClient client = new RawClient(this.broker.port())) {
			client.connect("f4", RawClient.integer(MqttPropertyType.RECEIVE_MAXIMUM, 1));
			client.send(client.request("flood 10000", "answers/f4"));
			assertThat(RawClient.text(client.receivePublish())).isEqualTo("m0");
			assertThat(client.receiveReason(MqttMessageType.DISCONNECT)).isEqualTo(0x97);
			client.assertClosed();
			assertThat(this.server.nextEvents(2)).containsExactly("+f4", "-f4");
		}
	}

	@Test
	void deliversAllRepliesAfterClientResumesReading() throws Exception {
		try (RawClient client = client("f5")) {
			client.subscribed("answers/f5", 1);
			String text = "echo" + "x".repeat(95_000);
			int count = 850;
			byte[] request = client
				.encode(client.publish(Topics.REQUEST, 1, text, RawClient.requestProperties("answers/f5", "c")));
			CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
				try {
					for (int i = 0; i < count; i++) {
						client.sendBytes(request);
					}
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
			// Until the broker suspends reading. The replies would exceed the memory of
			// one client.
			int executed = 0;
			while (this.server.requests.poll(500, TimeUnit.MILLISECONDS) != null) {
				executed++;
			}
			assertThat(executed).isBetween(1, count - 1);
			int replies = 0;
			int acknowledgements = 0;
			while (replies < count || acknowledgements < count) {
				MqttMessage message = client.receive();
				if (message.fixedHeader().messageType() == MqttMessageType.PUBLISH) {
					replies++;
				}
				else {
					assertThat(RawClient.reason(message)).as("%s", message).isZero();
					acknowledgements++;
					assertThat(acknowledgements).isLessThanOrEqualTo(replies);
				}
			}
			sender.get(5, TimeUnit.SECONDS);
		}
	}

}
