package io.statestore.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * MQTT 5 client on a {@link RawMqttConnection} that reads on a separate thread. Collects
 * and acknowledges messages; does nothing else on its own.
 */
public final class RawMqttClient implements AutoCloseable {

	private final RawMqttConnection connection;

	private final boolean sessionPresent;

	/** Messages that the test has not taken yet. */
	private final List<RawPublish> messages = new ArrayList<>();

	/** Reason codes of acknowledgments, by packet type and packet ID. */
	private final Map<List<Object>, Integer> acknowledgments = new HashMap<>();

	private @Nullable Integer disconnectReason;

	private boolean ended;

	private RawMqttClient(RawMqttConnection connection, boolean sessionPresent) {
		this.connection = connection;
		this.sessionPresent = sessionPresent;
		Thread reader = new Thread(this::readAll, "raw-mqtt-reader");
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Connects with a session that ends with the connection.
	 * @param port the broker's port on 127.0.0.1
	 * @param clientId MQTT client ID
	 * @return the client, after a successful CONNACK
	 */
	public static RawMqttClient connect(int port, String clientId) {
		return connect(port, clientId, true, 0);
	}

	/**
	 * Connects.
	 * @param port the broker's port on 127.0.0.1
	 * @param clientId MQTT client ID
	 * @param cleanStart whether an earlier session ends
	 * @param sessionExpirySeconds how long the session outlives the connection, in
	 * seconds
	 * @return the client, after a successful CONNACK
	 */
	public static RawMqttClient connect(int port, String clientId, boolean cleanStart, long sessionExpirySeconds) {
		return connect(port, RawConnect.of(clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(sessionExpirySeconds))
			.cleanStart(cleanStart));
	}

	/**
	 * Connects with a login and a session that ends with the connection.
	 * @param port the broker's port on 127.0.0.1
	 * @param clientId MQTT client ID
	 * @param user user name
	 * @param password password
	 * @return the client, after a successful CONNACK
	 */
	public static RawMqttClient connect(int port, String clientId, String user, String password) {
		return connect(port, RawConnect.of(clientId).login(user, password));
	}

	/**
	 * Connects to another machine, with a session that ends with the connection.
	 * @param address the broker's address
	 * @param clientId MQTT client ID
	 * @return the client, after a successful CONNACK
	 */
	public static RawMqttClient connect(InetSocketAddress address, String clientId) {
		return connect(UncheckedIo.get(() -> new RawMqttConnection(address, RawMqttConnection.TIMEOUT)),
				RawConnect.of(clientId));
	}

	private static RawMqttClient connect(int port, RawConnect connect) {
		return connect(UncheckedIo.get(() -> new RawMqttConnection(port)), connect);
	}

	private static RawMqttClient connect(RawMqttConnection connection, RawConnect connect) {
		RawControl connack = UncheckedIo.get(() -> connection.connect(connect));
		if (connack.reason() != 0) {
			throw new AssertionError("CONNACK 0x" + Integer.toHexString(connack.reason()));
		}
		return new RawMqttClient(connection, connack.sessionPresent());
	}

	/**
	 * Returns whether the broker continued an earlier session.
	 * @return the session present flag of the CONNACK
	 */
	public boolean sessionPresent() {
		return this.sessionPresent;
	}

	/**
	 * Subscribes at QoS 1.
	 * @param filter topic filter
	 * @return the reason code of the SUBACK
	 */
	public int subscribe(String filter) {
		RawControl subscribe = this.connection.subscribe(filter, 1);
		write(subscribe);
		return acknowledgment(PacketType.SUBACK, subscribe.packetId());
	}

	/**
	 * Unsubscribes.
	 * @param filter topic filter
	 * @return the reason code of the UNSUBACK
	 */
	public int unsubscribe(String filter) {
		RawControl unsubscribe = this.connection.unsubscribe(filter);
		write(unsubscribe);
		return acknowledgment(PacketType.UNSUBACK, unsubscribe.packetId());
	}

	/**
	 * Sends a PUBLISH without waiting for its PUBACK.
	 * @param publish the message, which is assigned a packet ID if it has none
	 * @return the message's packet ID
	 */
	public int send(RawPublish publish) {
		publish.packetId = (publish.packetId != 0) ? publish.packetId : this.connection.nextPacketId();
		write(publish);
		return publish.packetId;
	}

	/**
	 * Waits for a PUBACK.
	 * @param packetId packet ID of the message
	 * @return the reason code of the PUBACK
	 */
	public int puback(int packetId) {
		return acknowledgment(PacketType.PUBACK, packetId);
	}

	/**
	 * Waits for a message and removes it.
	 * @param wanted accepts the message
	 * @param what describes the message, for the error
	 * @return the first accepted message
	 */
	public RawPublish take(Predicate<RawPublish> wanted, String what) {
		return await(() -> {
			RawPublish found = this.messages.stream().filter(wanted).findFirst().orElse(null);
			this.messages.remove(found);
			return found;
		}, what);
	}

	/**
	 * Returns messages that have arrived and were not taken.
	 * @param wanted accepts the messages
	 * @return the accepted messages, in order of arrival
	 */
	public synchronized List<RawPublish> messages(Predicate<RawPublish> wanted) {
		return this.messages.stream().filter(wanted).toList();
	}

	/**
	 * Waits for a DISCONNECT from the broker.
	 * @return reason code of the DISCONNECT
	 */
	public int awaitDisconnect() {
		return await(() -> this.disconnectReason, "DISCONNECT");
	}

	/** Waits for the end of the connection, with or without a DISCONNECT. */
	public void awaitEnd() {
		await(() -> this.ended ? true : null, "the end of the connection", RawMqttConnection.CLOSE_TIMEOUT);
	}

	/** Sends a DISCONNECT and waits until the broker has closed the connection. */
	@Override
	public void close() {
		try {
			write(RawControl.disconnect(0));
			this.connection.shutdownOutput();
			await(() -> this.ended ? true : null, "the end of the connection");
		}
		catch (UncheckedIOException | IOException ex) {
			// The broker has already closed the connection.
		}
		drop();
	}

	/** Closes the socket without a DISCONNECT. */
	public void drop() {
		UncheckedIo.run(this.connection::close);
	}

	private int acknowledgment(PacketType type, int id) {
		return await(() -> this.acknowledgments.remove(List.<Object>of(type, id)), type + " of packet " + id);
	}

	private <T> T await(Supplier<@Nullable T> condition, String what) {
		return await(condition, what, RawMqttConnection.TIMEOUT);
	}

	private <T> T await(Supplier<@Nullable T> condition, String what, Duration timeout) {
		try {
			return Awaitility.await(what)
				.atMost(timeout)
				.until(() -> resultUnlessEnded(condition, what), Objects::nonNull);
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("No " + what + " within " + timeout + "; untaken: " + messages((any) -> true), ex);
		}
	}

	private synchronized <T> @Nullable T resultUnlessEnded(Supplier<@Nullable T> condition, String what) {
		T result = condition.get();
		if (result == null && this.ended) {
			throw new AssertionError(
					"The connection ended before " + what + ", DISCONNECT reason " + this.disconnectReason);
		}
		return result;
	}

	private void write(RawPacket packet) {
		UncheckedIo.run(() -> this.connection.send(packet));
	}

	private void readAll() {
		try {
			while (true) {
				handle(this.connection.read());
			}
		}
		catch (IOException | UncheckedIOException ex) {
			update(() -> this.ended = true);
		}
	}

	private void handle(RawPacket packet) throws IOException {
		if (packet instanceof RawPublish publish) {
			update(() -> this.messages.add(publish));
			if (publish.qos == 1) {
				this.connection.acknowledge(publish);
			}
		}
		else if (packet instanceof RawControl control) {
			switch (control.type()) {
				case PUBACK, SUBACK, UNSUBACK -> update(
						() -> this.acknowledgments.put(List.of(control.type(), control.packetId()), control.reason()));
				case DISCONNECT -> update(() -> this.disconnectReason = control.reason());
				default -> {
				}
			}
		}
	}

	private synchronized void update(Runnable change) {
		change.run();
	}

}
