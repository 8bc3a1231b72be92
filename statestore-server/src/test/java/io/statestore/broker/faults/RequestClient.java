package io.statestore.broker.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;

import io.statestore.broker.crash.Notified;
import io.statestore.broker.crash.Pending;
import io.statestore.broker.crash.Recorder;
import io.statestore.broker.crash.Workload;
import io.statestore.broker.crash.Workload.Request;
import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Notifications;
import io.statestore.protocol.Topics;
import io.statestore.test.PacketType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;

/**
 * A client with one request in flight that works at the packet level. If its connection
 * ends or a reply is late, it connects to another node. There, it either sends its
 * request again, with the same correlation data, or gives it up, so that the outcome
 * stays unknown.
 */
final class RequestClient implements Callable<Void> {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final Duration MAX_AGE_OF_REPETITION = Duration.ofSeconds(20);

	private static final int MAX_PAUSE_MILLIS = 40;

	private static final int RECONNECT_MILLIS = 50;

	private final String clientId;

	private final List<InetSocketAddress> addresses;

	private final Generations generations;

	private final Recorder recorder;

	private final Random random;

	private final Workload workload;

	private final boolean watches;

	/** Index of the address in use. */
	private int node;

	private int connections;

	/** Generation whose keys this connection watches. */
	private int watched;

	private @Nullable Pending pending;

	private volatile boolean finishing;

	RequestClient(int number, List<InetSocketAddress> addresses, Generations generations, Recorder recorder,
			long seed) {
		this.clientId = "client-" + number;
		this.node = number % addresses.size();
		this.addresses = addresses;
		this.generations = generations;
		this.recorder = recorder;
		this.random = new Random(seed);
		this.workload = new Workload(this.clientId, this.random, generations::suffix);
		this.watches = number % 3 == 0;
	}

	/** Ends the client after its current request. */
	void finish() {
		this.finishing = true;
	}

	@Override
	public Void call() throws InterruptedException {
		while (!this.finishing) {
			boolean connected = false;
			try (RawMqttConnection connection = new RawMqttConnection(this.addresses.get(this.node), TIMEOUT)) {
				connect(connection);
				connected = true;
				serve(connection);
			}
			catch (IOException ex) {
				this.node = (this.node + 1) % this.addresses.size();
				if (connected) {
					giveUpOrKeep();
				}
				Thread.sleep(RECONNECT_MILLIS);
			}
		}
		giveUp();
		return null;
	}

	private void connect(RawMqttConnection connection) throws IOException {
		this.connections++;
		this.watched = -1;
		connection.send(RawConnect.of(this.clientId));
		expect(connection, PacketType.CONNACK);
		connection.send(connection.subscribe(List.of(Topics.response(this.clientId))));
		expect(connection, PacketType.SUBACK);
	}

	private void expect(RawMqttConnection connection, PacketType type) throws IOException {
		RawPacket packet = connection.read(TIMEOUT);
		if (!(packet instanceof RawControl control) || control.type() != type || control.reason() >= 0x80) {
			throw new IOException("Refused: " + packet);
		}
	}

	private void serve(RawMqttConnection connection) throws IOException, InterruptedException {
		if (this.pending != null && isOld(this.pending)) {
			giveUp();
		}
		if (this.pending != null) {
			this.recorder.repeated();
			exchange(connection, this.pending);
		}
		while (!this.finishing) {
			watch(connection);
			Pending request = new Pending(this.clientId, connection.nextPacketId(), this.workload.next(),
					System.currentTimeMillis());
			this.pending = request;
			exchange(connection, request);
			Thread.sleep(this.random.nextInt(MAX_PAUSE_MILLIS));
		}
	}

	private void watch(RawMqttConnection connection) throws IOException {
		int current = this.generations.current();
		if (this.watches && this.watched != current) {
			this.watched = current;
			for (Bytes key : Workload.keys(Generations.suffix(current))) {
				connection.send(new Pending(this.clientId, connection.nextPacketId(),
						new Request(new Command.KeyNotify(key), null), System.currentTimeMillis())
					.publish());
			}
		}
	}

	/** Sends a request and waits for its reply, or its failure. */
	private void exchange(RawMqttConnection connection, Pending request) throws IOException {
		long deadline = System.nanoTime() + TIMEOUT.toNanos();
		connection.send(request.publish());
		while (this.pending == request) {
			long millis = (deadline - System.nanoTime()) / 1_000_000;
			if (millis <= 0) {
				throw new IOException("No reply in time");
			}
			handle(connection, connection.read(Duration.ofMillis(millis)), request);
		}
	}

	private void handle(RawMqttConnection connection, RawPacket packet, Pending request) throws IOException {
		if (packet instanceof RawPublish message) {
			Bytes key = Topics.notifiedKey(this.clientId, message.topic);
			if (key != null) {
				notified(key, message);
			}
			else if (Arrays.equals(request.publish().correlationData, message.correlationData)) {
				request.replied(message);
				ended(request.answered());
			}
			connection.acknowledge(message);
		}
		else if (packet instanceof RawControl control) {
			if (control.type() == PacketType.DISCONNECT) {
				throw new IOException("DISCONNECT with reason " + control.reason());
			}
			boolean failed = control.type() == PacketType.PUBACK && control.reason() >= 0x80
					&& control.packetId() == request.publish().packetId;
			if (failed && this.pending == request) {
				this.recorder.failedRequest();
				giveUp();
			}
		}
	}

	private void notified(Bytes key, RawPublish message) {
		Bytes value = (Notifications.decode(Bytes.copyOf(message.payload)) instanceof Notification.Set set)
				? set.value() : null;
		this.recorder.add(new Notified(this.clientId + '/' + this.connections, key, value,
				Objects.requireNonNull(Pending.version(message)), System.nanoTime()));
	}

	/**
	 * Gives up the request, or keeps it for the next connection if it is a write, so that
	 * both cases occur often.
	 */
	private void giveUpOrKeep() {
		if (this.pending != null && (!this.pending.isRemembered() || this.random.nextBoolean())) {
			giveUp();
		}
	}

	private static boolean isOld(Pending request) {
		return System.nanoTime() - request.unanswered(Operation.NEVER).invoked() > MAX_AGE_OF_REPETITION.toNanos();
	}

	private void giveUp() {
		if (this.pending != null) {
			ended(this.pending.unanswered(Operation.NEVER));
		}
	}

	private void ended(Operation operation) {
		this.pending = null;
		this.recorder.add(operation);
		this.workload.ended(operation);
	}

}
