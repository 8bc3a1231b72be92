package io.statestore.broker.mqtt;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.function.IntSupplier;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A state store client that treats its MQTT session like the official clients: it
 * subscribes once, watches its keys again after each reconnect, and fails if its session
 * is lost. It holds and renews a lock, and counts, with one request at a time. It repeats
 * each request until it is answered.
 */
final class StrictClient implements Callable<Void> {

	private static final int KEYS = 5;

	private static final int LEASE_MILLIS = 30_000;

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final Duration MAX_OUTAGE = Duration.ofSeconds(60);

	private final String clientId;

	private final IntSupplier port;

	private boolean established;

	private long answered = System.nanoTime();

	private volatile int acknowledged;

	private volatile int reconnects;

	private volatile int notifications;

	private volatile boolean stopped;

	/** Client whose lock this client tries to acquire, empty for none. */
	private volatile String rival = "";

	/**
	 * Creates a client that has not connected yet.
	 * @param port returns the port of a node, a different node after each attempt
	 */
	StrictClient(String clientId, IntSupplier port) {
		this.clientId = clientId;
		this.port = port;
	}

	/**
	 * Returns the number of acknowledged writes. Each write stores the previous value
	 * plus 1.
	 */
	int acknowledged() {
		return this.acknowledged;
	}

	int reconnects() {
		return this.reconnects;
	}

	int notifications() {
		return this.notifications;
	}

	/** From now on, tries to acquire another client's lock, which that client holds. */
	void contend(String rival) {
		this.rival = rival;
	}

	void stop() {
		this.stopped = true;
	}

	@Override
	public Void call() throws Exception {
		RawPublish request = next();
		while (!this.stopped) {
			try (RawMqttConnection connection = new RawMqttConnection(this.port.getAsInt())) {
				connect(connection);
				while (!this.stopped) {
					RawPublish reply = exchange(connection, request);
					check(reply, request);
					this.answered = System.nanoTime();
					request = next();
				}
			}
			catch (IOException ex) {
				assertThat(Duration.ofNanos(System.nanoTime() - this.answered)).as("time without an answer")
					.isLessThan(MAX_OUTAGE);
				Thread.sleep(20);
			}
		}
		return null;
	}

	private void connect(RawMqttConnection connection) throws IOException {
		connection.send(RawConnect.of(this.clientId, PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600))
			.cleanStart(!this.established));
		RawControl connack = (RawControl) connection.read(TIMEOUT);
		if (connack.reason() != 0) {
			throw new IOException("Refused: " + connack);
		}
		if (this.established) {
			assertThat(connack.sessionPresent()).as("session present").isTrue();
			this.reconnects++;
		}
		else {
			subscribe(connection, responseTopic());
			subscribe(connection, notificationTopics() + '+');
			this.established = true;
		}
		for (int i = 0; i < KEYS; i++) {
			RawPublish reply = exchange(connection, request("KEYNOTIFY", key(i)));
			assertThat(Resp.text(reply)).startsWith("+OK");
		}
	}

	private void subscribe(RawMqttConnection connection, String filter) throws IOException {
		connection.send(connection.subscribe(filter, 1));
		assertThat(((RawControl) connection.read(TIMEOUT)).reason()).isEqualTo(1);
	}

	private String responseTopic() {
		return "clients/" + this.clientId + "/services/statestore/_any_/command/invoke/response";
	}

	private String notificationTopics() {
		return "clients/" + StoreClient.STORE + '/' + StoreClient.hex(this.clientId) + "/command/notify/";
	}

	private String key(int number) {
		return this.clientId + "/count/" + number;
	}

	/**
	 * Returns a request that renews the lock, tries to acquire another client's lock,
	 * reads the last count, or writes the next count.
	 */
	private RawPublish next() {
		return switch (this.acknowledged % 10) {
			case 0 -> request("SET", this.clientId + "/lock", this.clientId, "NEX", "PX", "" + LEASE_MILLIS);
			case 7 -> this.rival.isEmpty() ? request("GET", "none")
					: request("SET", this.rival + "/lock", this.clientId, "NEX", "PX", "" + LEASE_MILLIS);
			case 5 -> request("GET", key(this.acknowledged % KEYS));
			default -> request("SET", key((this.acknowledged + 1) % KEYS), "" + (this.acknowledged + 1));
		};
	}

	private RawPublish request(Object... elements) {
		return RawPublish.of((publish) -> {
			publish.topic = StoreClient.REQUEST_TOPIC;
			publish.payload = Resp.command(elements);
			publish.responseTopic = responseTopic();
			publish.correlationData = StoreClient.newCorrelationData();
			publish.messageExpiry = 60L;
			publish.qos = 1;
			publish.with("__protVer", "1.0").with("__srcId", this.clientId).with("__ts", timestamp());
		});
	}

	private static String timestamp() {
		return System.currentTimeMillis() + ":0:client";
	}

	private void check(RawPublish reply, RawPublish request) {
		String text = Resp.text(reply);
		if (this.acknowledged % 10 == 5) {
			assertThat(text).as("last acknowledged write").endsWith("⏎" + this.acknowledged + "⏎");
		}
		else if (this.acknowledged % 10 == 7) {
			assertThat(text).as("lock of another client").isIn(":-1⏎", "$-1⏎");
		}
		else {
			assertThat(text).as("reply to %s", request).startsWith("+OK");
		}
		this.acknowledged++;
	}

	/** Sends a request, and waits for its reply. */
	private RawPublish exchange(RawMqttConnection connection, RawPublish request) throws IOException {
		request.packetId = connection.nextPacketId();
		connection.send(request);
		while (true) {
			RawPacket packet = read(connection);
			if (packet instanceof RawPublish message) {
				connection.acknowledge(message);
				if (Arrays.equals(message.correlationData, request.correlationData)) {
					return message;
				}
				if (message.topic.startsWith(notificationTopics())) {
					this.notifications++;
				}
			}
			else if (packet.type() == PacketType.DISCONNECT || ((RawControl) packet).reason() >= 0x80) {
				throw new IOException("Refused: " + packet);
			}
		}
	}

	private static RawPacket read(RawMqttConnection connection) throws IOException {
		try {
			return connection.read(TIMEOUT);
		}
		catch (SocketTimeoutException ex) {
			throw new IOException("The node does not answer", ex);
		}
	}

}
