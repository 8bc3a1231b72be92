package io.statestore.broker.crash;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;

import io.statestore.test.PacketType;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Client that randomly sets and clears its topics' retained messages, without waiting for
 * each acknowledgment, until its connection ends. Also models what the broker must have
 * stored.
 */
final class RetainedWriter implements Callable<Void> {

	private static final int TOPICS = 5;

	private static final int IN_FLIGHT = 20;

	/** Size of a large message, which the broker stores in a separate file. */
	private static final int LARGE = 300_000;

	private final String name;

	private final Random random;

	/** Payloads that the broker may have stored, oldest first, by topic. */
	private final Map<String, List<String>> possible = new HashMap<>();

	private RawMqttConnection client;

	/** Number of acknowledged messages. */
	private volatile int acknowledged;

	private int count;

	RetainedWriter(String name, Random random, RawMqttConnection client) {
		this.name = name;
		this.random = random;
		this.client = client;
	}

	/** A message in flight. */
	private record Sent(String topic, String payload, int packetId) {
	}

	/** Continues with another connection. */
	void reconnect(RawMqttConnection client) {
		this.client = client;
	}

	/** Publishes until the connection ends. */
	@Override
	public Void call() {
		Queue<Sent> inFlight = new ArrayDeque<>();
		try (RawMqttConnection client = this.client) {
			while (true) {
				if (inFlight.size() >= IN_FLIGHT || (!inFlight.isEmpty() && this.random.nextInt(4) == 0)) {
					RawControl acknowledgment = client.receive(PacketType.PUBACK);
					Sent sent = inFlight.remove();
					assertThat(acknowledgment.packetId()).isEqualTo(sent.packetId);
					acknowledged(sent);
				}
				else {
					inFlight.add(send(client));
				}
			}
		}
		catch (IOException ex) {
			return null;
		}
		catch (AssertionError ex) {
			if (ex.getCause() instanceof IOException) {
				// The connection ended during a wait.
				return null;
			}
			throw ex;
		}
	}

	private Sent send(RawMqttConnection client) throws IOException {
		String topic = "retained/" + this.name + '/' + this.random.nextInt(TOPICS);
		String payload = switch (this.random.nextInt(20)) {
			case 0, 1, 2, 3, 4, 5 -> "";
			case 6 -> ++this.count + "x".repeat(LARGE);
			default -> String.valueOf(++this.count);
		};
		payloads(topic).add(payload);
		RawPublish message = client.publish(topic, 1, payload);
		message.retain = true;
		client.send(message);
		return new Sent(topic, payload, message.packetId);
	}

	private void acknowledged(Sent sent) {
		this.acknowledged++;
		List<String> payloads = payloads(sent.topic);
		// Each payload is unique, except for the empty payload that clears. The topic has
		// one writer, whose messages are acknowledged in order.
		payloads.remove(0);
		assertThat(payloads.get(0)).isEqualTo(sent.payload);
	}

	/** Returns a topic's latest acknowledged payload and all later payloads. */
	private List<String> payloads(String topic) {
		return this.possible.computeIfAbsent(topic, (key) -> new ArrayList<>(List.of("")));
	}

	int acknowledged() {
		return this.acknowledged;
	}

	/**
	 * Expects that each topic has its last acknowledged payload or a later payload. This
	 * writer continues from the payloads found.
	 * @param stored the broker's retained messages by topic
	 */
	void check(Map<String, String> stored) {
		this.possible.forEach((topic, payloads) -> {
			String payload = stored.getOrDefault(topic, "");
			assertThat(payloads).as(topic).contains(payload);
			payloads.clear();
			payloads.add(payload);
		});
	}

}
