package io.statestore.broker.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.OutgoingMessage.Kind;
import io.statestore.broker.server.UserProperty;
import org.jspecify.annotations.Nullable;

/**
 * A replacement for the state store, for tests of only the MQTT server. The payload of a
 * request selects the reaction: {@code notify <topic>} sends a notification to the
 * client, {@code flood <count>} sends many, {@code refuse <code>} acknowledges with that
 * reason, {@code disconnect <code>} ends the connection, {@code hold} does nothing, and
 * neither do {@link #SCAN} and {@link #LOCKS}. Other payloads are returned in a reply.
 */
class EchoServer implements ClientListener {

	static final String SCAN = "*2\r\n$4\r\nSCAN\r\n$1\r\n*\r\n";

	static final String LOCKS = "*2\r\n$5\r\nLOCKS\r\n$1\r\n*\r\n";

	final BlockingQueue<String> events = new LinkedBlockingQueue<>();

	final BlockingQueue<IncomingRequest> requests = new LinkedBlockingQueue<>();

	final ConcurrentLinkedQueue<ClientConnection> connections = new ConcurrentLinkedQueue<>();

	@Override
	public void connected(ClientConnection connection) {
		this.connections.add(connection);
		this.events.add("+" + connection.clientId());
	}

	@Override
	public void disconnected(ClientConnection connection) {
		this.connections.remove(connection);
		this.events.add("-" + connection.clientId());
	}

	@Override
	public void administer(IncomingRequest request, boolean local) {
		request(request);
	}

	@Override
	public void failed(Error error) {
		throw error;
	}

	@Override
	public void request(IncomingRequest request) {
		this.requests.add(request);
		String[] words = request.payload().toUtf8().split(" ");
		switch (words[0]) {
			case "hold", SCAN, LOCKS -> {
			}
			case "refuse" -> request.acknowledgment().acknowledge(Integer.decode(words[1]));
			case "disconnect" -> request.connection().disconnect(Integer.decode(words[1]), "as you like it");
			case "notify" -> {
				request.connection().send(message(Kind.NOTIFICATION, words[1], "changed", request));
				request.acknowledgment().acknowledge(0);
			}
			case "flood" -> {
				for (int i = 0; i < Integer.parseInt(words[1]); i++) {
					request.connection().send(message(Kind.NOTIFICATION, "flood", "m" + i, request));
				}
				request.acknowledgment().acknowledge(0);
			}
			default -> {
				String topic = request.responseTopic();
				if (topic != null) {
					request.connection().send(message(Kind.REPLY, topic, request.payload().toUtf8(), request));
				}
				request.acknowledgment().acknowledge(0);
			}
		}
	}

	static OutgoingMessage message(Kind kind, String topic, String payload, @Nullable IncomingRequest request) {
		return new OutgoingMessage(kind, topic, payload.getBytes(StandardCharsets.UTF_8),
				(request != null) ? request.correlationData() : null, List.of(new UserProperty("__stat", "200"),
						new UserProperty("twice", "1"), new UserProperty("twice", "2")));
	}

	ClientConnection connection(String clientId) {
		return this.connections.stream()
			.filter((connection) -> connection.clientId().equals(clientId))
			.findFirst()
			.orElseThrow();
	}

	IncomingRequest nextRequest() throws InterruptedException {
		IncomingRequest request = this.requests.poll(30, TimeUnit.SECONDS);
		if (request == null) {
			throw new AssertionError("No request arrived");
		}
		return request;
	}

	/** Returns the next connects (+) and disconnects (-), in order. */
	List<String> nextEvents(int count) throws InterruptedException {
		List<String> result = new ArrayList<>();
		while (result.size() < count) {
			String event = this.events.poll(30, TimeUnit.SECONDS);
			if (event == null) {
				throw new AssertionError("Only " + result + " happened");
			}
			result.add(event);
		}
		return result;
	}

}
