package io.statestore.broker.crash;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.crash.Workload.Request;
import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Notifications;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;

/**
 * A client that keeps several requests in flight until the end of the run. After each
 * restart, it continues its session, and sends all unacknowledged requests again, with
 * the same packet ids and correlation data (MQTT 5.0, section 4.4). It gives up some
 * requests, so that their outcomes stay unknown.
 */
final class LoadClient implements Callable<Void> {

	private static final int IN_FLIGHT = 4;

	private static final long SESSION_EXPIRY_SECONDS = 3_600;

	private static final int SERVER_SHUTTING_DOWN = 0x8B;

	private final String clientId;

	private final int port;

	private final Gate gate;

	private final Recorder recorder;

	private final Random random;

	private final Workload workload;

	/** Requests in flight by correlation data, in the order in which they were sent. */
	private final Map<Bytes, Pending> pending = new LinkedHashMap<>();

	private final boolean watches;

	/** How far this client's system clock is ahead, in milliseconds. */
	private final long aheadMillis;

	/** Whether to change the session between requests. */
	private final boolean changesSession;

	private int connections;

	private volatile boolean finishing;

	LoadClient(String clientId, int port, boolean watches, long aheadMillis, boolean changesSession, Gate gate,
			Recorder recorder, long seed) {
		this.clientId = clientId;
		this.port = port;
		this.watches = watches;
		this.aheadMillis = aheadMillis;
		this.changesSession = changesSession;
		this.gate = gate;
		this.recorder = recorder;
		this.random = new Random(seed);
		this.workload = new Workload(clientId, this.random);
	}

	/** Ends the client once all its requests are answered. */
	void finish() {
		this.finishing = true;
	}

	@Override
	public Void call() throws InterruptedException {
		boolean finished = false;
		while (!finished) {
			this.gate.await();
			try (RawMqttConnection connection = new RawMqttConnection(this.port)) {
				resume(connection);
				serve(connection);
				finished = true;
			}
			catch (IOException ex) {
				// The broker was killed.
			}
		}
		return null;
	}

	private void resume(RawMqttConnection connection) throws IOException {
		boolean first = this.connections++ == 0;
		RawControl connack = exchange(connection,
				RawConnect.of(this.clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(SESSION_EXPIRY_SECONDS))
					.cleanStart(first));
		if (!connack.sessionPresent()) {
			if (!first) {
				this.recorder.lostSession(this.clientId);
			}
			exchange(connection, connection.subscribe(List.of(Topics.response(this.clientId))));
		}
		repeatAll(connection);
		if (this.watches) {
			for (Bytes key : Workload.KEYS) {
				send(connection, new Request(new Command.KeyNotify(key), null));
			}
		}
	}

	private RawControl exchange(RawMqttConnection connection, RawPacket packet) throws IOException {
		connection.send(packet);
		RawControl answer = (RawControl) connection.read();
		failIfShuttingDown(answer);
		if (answer.reason() >= 0x80) {
			throw new AssertionError(this.clientId + ": " + answer.type() + " with reason " + answer.reason());
		}
		return answer;
	}

	private void repeatAll(RawMqttConnection connection) throws IOException {
		for (Pending request : List.copyOf(this.pending.values())) {
			if (!request.isRecorded()) {
				this.pending.remove(request.correlationData());
			}
			else if (request.reply() == null && this.random.nextInt(10) == 0) {
				this.pending.remove(request.correlationData());
				// The broker that received the request is dead.
				ended(request.unanswered(System.nanoTime()));
			}
			else {
				this.recorder.repeated();
				connection.send(request.duplicate());
			}
		}
	}

	/** Serves until the end was requested and all requests were answered. */
	private void serve(RawMqttConnection connection) throws IOException {
		while (true) {
			while (!this.finishing && this.pending.size() < IN_FLIGHT) {
				send(connection, this.workload.next());
				if (this.changesSession && this.random.nextInt(4) == 0) {
					changeSession(connection);
				}
			}
			if (this.pending.isEmpty()) {
				return;
			}
			handle(connection, connection.read());
		}
	}

	private void send(RawMqttConnection connection, Request command) throws IOException {
		Pending request = new Pending(this.clientId, unusedPacketId(connection), command,
				System.currentTimeMillis() + this.aheadMillis);
		this.pending.put(request.correlationData(), request);
		connection.send(request.publish());
	}

	/**
	 * Returns a packet id that requests from earlier connections, which keep their packet
	 * ids, do not use.
	 */
	private int unusedPacketId(RawMqttConnection connection) {
		Set<Integer> used = this.pending.values()
			.stream()
			.map((request) -> request.publish().packetId)
			.collect(Collectors.toSet());
		int id = connection.nextPacketId();
		while (used.contains(id)) {
			id = connection.nextPacketId();
		}
		return id;
	}

	/**
	 * Changes the session, so that a crash or power failure can also hit such a change.
	 */
	private void changeSession(RawMqttConnection connection) throws IOException {
		String filter = this.clientId + '/' + this.random.nextInt(10);
		connection.send(this.random.nextBoolean() ? connection.subscribe(filter, 1) : connection.unsubscribe(filter));
	}

	private void handle(RawMqttConnection connection, RawPacket packet) throws IOException {
		if (packet instanceof RawPublish message) {
			Bytes key = Topics.notifiedKey(this.clientId, message.topic);
			if (key != null) {
				notified(key, message);
			}
			else {
				replied(message);
			}
			connection.acknowledge(message);
		}
		else if (packet instanceof RawControl control) {
			handle(control);
		}
	}

	/** Treats a stopping broker's DISCONNECT packet like the end of the connection. */
	private static void failIfShuttingDown(RawControl control) throws IOException {
		if (control.type() == PacketType.DISCONNECT && control.reason() == SERVER_SHUTTING_DOWN) {
			throw new IOException("The broker shuts down");
		}
	}

	private void handle(RawControl control) throws IOException {
		failIfShuttingDown(control);
		switch (control.type()) {
			case PUBACK -> this.pending.values()
				.stream()
				.filter((request) -> request.publish().packetId == control.packetId())
				.findFirst()
				.ifPresent((request) -> acknowledged(request, control.reason()));
			case SUBACK, UNSUBACK -> {
			}
			default ->
				throw new AssertionError(this.clientId + ": " + control.type() + " with reason " + control.reason());
		}
	}

	private void acknowledged(Pending request, int reason) {
		request.acknowledged();
		if (reason != 0 && request.reply() == null) {
			// The store has stopped. Whether the request took effect is unknown.
			this.recorder.failedRequest();
			this.pending.remove(request.correlationData());
			ended(request.unanswered(Operation.NEVER));
		}
		removeIfComplete(request);
	}

	private void replied(RawPublish message) {
		Pending request = this.pending.get(Bytes.copyOf(Objects.requireNonNull(message.correlationData)));
		if (request == null) {
			throw new AssertionError(this.clientId + ": a reply that was not expected: " + message);
		}
		if (request.reply() == null) {
			request.replied(message);
			ended(request.answered());
		}
		else if (request.isRemembered() && request.differsFrom(message)) {
			this.recorder.differentReply(request.answered() + " was answered again with " + Resp.text(message) + " @"
					+ Pending.version(message));
		}
		removeIfComplete(request);
	}

	private void removeIfComplete(Pending request) {
		if (request.isComplete()) {
			this.pending.remove(request.correlationData());
		}
	}

	private void ended(Operation operation) {
		if (!(operation.command() instanceof Command.KeyNotify)) {
			this.recorder.add(operation);
			this.workload.ended(operation);
		}
	}

	private void notified(Bytes key, RawPublish message) {
		Bytes value = (Notifications.decode(Bytes.copyOf(message.payload)) instanceof Notification.Set set)
				? set.value() : null;
		this.recorder.add(new Notified(this.clientId + '/' + this.connections, key, value,
				Objects.requireNonNull(Pending.version(message)), System.nanoTime()));
	}

	@Override
	public String toString() {
		return this.clientId + " on connection " + this.connections + ": " + this.pending.values();
	}

}
