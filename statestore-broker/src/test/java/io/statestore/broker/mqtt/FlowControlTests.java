package io.statestore.broker.mqtt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Rules of {@link OutboundFlow} from a client's point of view. */
class FlowControlTests extends MqttBrokerTest {

	FlowControlTests() {
		this.budget = new MemoryBudget(100_000_000, 2_000_000);
	}

	@Test
	void receiveMaximumLimitsBothSourcesTogether() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port());
				RawMqttConnection publisher = client("publisher")) {
			client.connect("f1", PropertyType.RECEIVE_MAXIMUM.of(1));
			client.subscribed("ordinary", 1);
			client.send(request(client, "flood 2", "answers/f1"));
			RawPublish first = client.receivePublish();
			publisher.send(publisher.publish("ordinary", 1, "o"));
			assertThat(publisher.receiveReason(PacketType.PUBACK)).isZero();
			client.ping();
			client.acknowledge(first);
			RawPublish second = client.receivePublish();
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			client.ping();
			client.acknowledge(second);
			RawPublish third = client.receivePublish();
			assertThat(first.text() + second.text() + third.text()).isEqualTo("m0m1o");
			client.acknowledge(third);
			client.ping();
		}
	}

	@Test
	void bothSourcesUseDifferentPacketIds() throws Exception {
		try (RawMqttConnection client = client("f2"); RawMqttConnection publisher = client("publisher")) {
			client.subscribed("ordinary", 1);
			Set<Integer> inFlight = new HashSet<>();
			client.send(request(client, "flood 100", "answers/f2"));
			for (int i = 0; i < 100; i++) {
				publisher.send(publisher.publish("ordinary", 1, "o"));
			}
			for (int i = 0; i < 200;) {
				if (client.receive() instanceof RawPublish message) {
					assertThat(inFlight.add(message.packetId)).isTrue();
					i++;
				}
			}
		}
	}

	@Test
	void acknowledgesRequestEvenIfReplyIsTooLarge() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("f3", PropertyType.MAXIMUM_PACKET_SIZE.of(300));
			client.subscribed("answers/f3", 1);
			client.send(request(client, "echo" + "x".repeat(200), "answers/f3"));
			assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			client.send(request(client, "echo", "answers/f3"));
			assertThat(client.receivePublish().text()).isEqualTo("echo");
		}
	}

	@Test
	void disconnectsClientThatAcknowledgesNothing() throws Exception {
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("f4", PropertyType.RECEIVE_MAXIMUM.of(1));
			client.send(request(client, "flood 10000", "answers/f4"));
			assertThat(client.receivePublish().text()).isEqualTo("m0");
			assertThat(client.receiveReason(PacketType.DISCONNECT)).isEqualTo(0x97);
			client.assertClosed();
			assertThat(this.server.nextEvents(2)).containsExactly("+f4", "-f4");
		}
	}

	@Test
	void deliversAllRepliesAfterClientResumesReading() throws Exception {
		try (RawMqttConnection client = client("f5")) {
			client.subscribed("answers/f5", 1);
			String text = "echo" + "x".repeat(95_000);
			int count = 850;
			byte[] request = client
				.encode(client.publish(Topics.REQUEST, 1, text, requestProperties("answers/f5", "c")));
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
			// Continues until the broker suspends reading. The replies would exceed the
			// memory of one client.
			int executed = 0;
			this.server.nextRequest();
			do {
				executed++;
			}
			while (this.server.requests.poll(500, TimeUnit.MILLISECONDS) != null);
			assertThat(executed).isBetween(1, count - 1);
			int replies = 0;
			int acknowledgments = 0;
			while (replies < count || acknowledgments < count) {
				RawPacket message = client.receive();
				if (message.type() == PacketType.PUBLISH) {
					replies++;
				}
				else {
					assertThat(((RawControl) message).reason()).as("%s", message).isZero();
					acknowledgments++;
					assertThat(acknowledgments).isLessThanOrEqualTo(replies);
				}
			}
			sender.get(30, TimeUnit.SECONDS);
		}
	}

}
