package io.statestore.broker.mqtt;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.PacketType;
import io.statestore.test.PropertyType;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPacket;
import io.statestore.test.RawProperty;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The broker's memory during a flood of ordinary messages. */
class BackPressureTests extends MqttBrokerTest {

	/** Upper bound for the memory of packets whose changes are pending. */
	private static final long MAX_PENDING = 1024 * 1024;

	/** Upper bound for the memory of one packet. */
	private static final long ONE_PACKET = 4L * 1024 * 1024;

	private final HeldSessionLog log = new HeldSessionLog();

	BackPressureTests() {
		this.budget = new MemoryBudget(100_000_000, 50_000_000);
	}

	@Override
	protected MqttBroker start(MqttBrokerSettings settings) {
		return MqttBroker.start(settings, this.server, this.budget, this.log);
	}

	@Test
	void limitsUserPropertyFlood() throws Exception {
		RawProperty[] properties = Stream.generate(() -> PropertyType.user("", ""))
			.limit(12_000)
			.toArray(RawProperty[]::new);
		try (RawMqttConnection client = client("b1")) {
			byte[] packet = client.encode(client.publish("a", 0, "x", properties));
			long most = flood(client, packet, 100);
			// On a busy machine, a check may miss the time while a packet is counted.
			for (int i = 0; i < 50 && most == 0; i++) {
				most = flood(client, packet, 100);
			}
			assertThat(most).isBetween(1L, MAX_PENDING + ONE_PACKET);
		}
	}

	@Test
	void limitsSmallMessageFlood() throws Exception {
		try (RawMqttConnection client = client("b2")) {
			byte[] packet = client.encode(client.publish("a", 0, ""));
			long most = flood(client, packet, 50_000);
			assertThat(most).isLessThan(2 * MAX_PENDING);
		}
	}

	/** Returns the maximum of the counted memory while messages are sent. */
	private long flood(RawMqttConnection client, byte[] packet, int count) throws Exception {
		CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> send(client, packet, count));
		long most = 0;
		while (!sender.isDone()) {
			most = Math.max(most, this.budget.used(MemoryUse.INCOMING));
			Thread.onSpinWait();
		}
		sender.get(30, TimeUnit.SECONDS);
		client.ping();
		client.send(client.publish("last", 1, "x"));
		assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
		await("released memory").until(() -> this.budget.used(MemoryUse.INCOMING) == 0);
		return most;
	}

	private static void send(RawMqttConnection client, byte[] packet, int count) {
		try {
			for (int i = 0; i < count; i++) {
				client.sendBytes(packet);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void stopsReadingWhileChangesArePending() throws Exception {
		int count = 1_000;
		try (RawMqttConnection client = new RawMqttConnection(this.broker.port())) {
			client.connect("b4", PropertyType.SESSION_EXPIRY_INTERVAL.of(100));
			client.subscribed("t", 1);
		}
		try (RawMqttConnection client = client("b5")) {
			this.log.hold();
			byte[] packet = client.encode(client.publish("t", 1, "x".repeat(10_000)));
			CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> send(client, packet, count));
			await("pending changes").until(() -> this.budget.used(MemoryUse.INCOMING) > MAX_PENDING);
			TimeUnit.MILLISECONDS.sleep(500);
			assertThat(this.budget.used(MemoryUse.INCOMING)).isLessThan(2 * MAX_PENDING);
			assertThat(this.log.heldChanges()).isLessThan(count / 2);
			this.log.release();
			for (int i = 0; i < count; i++) {
				assertThat(client.receiveReason(PacketType.PUBACK)).isZero();
			}
			sender.get(30, TimeUnit.SECONDS);
			await("released memory").until(() -> this.budget.used(MemoryUse.INCOMING) == 0);
		}
	}

	@Test
	void senderThatReceivesItsOwnMessagesDoesNotBlock() throws Exception {
		int count = 5_000;
		try (RawMqttConnection client = client("b3")) {
			client.subscribed("own", 1);
			byte[] packet = client.encode(client.publish("own", 1, "x"));
			CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> send(client, packet, count));
			receiveOwn(client, count);
			sender.get(30, TimeUnit.SECONDS);
			client.ping();
		}
	}

	private static void receiveOwn(RawMqttConnection client, int count) throws IOException {
		int received = 0;
		int acknowledged = 0;
		while (received < count || acknowledged < count) {
			RawPacket message = client.receive();
			if (message instanceof RawPublish) {
				received++;
			}
			else {
				assertThat(((RawControl) message).reason()).isZero();
				acknowledged++;
			}
		}
	}

}
