package io.statestore.broker.mqtt;

import java.io.IOException;
import java.util.List;

import io.statestore.broker.memory.MemoryUse;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory of retained messages. */
class RetainedMemoryTests extends ClientMemoryTest {

	/** Payload of which a user may retain at most fourteen. */
	private static final String LARGE = "x".repeat(50_000);

	@Test
	void refusesRetainedMessagesAboveLimit() throws Exception {
		try (RawMqttConnection client = client("m10")) {
			int kept = 0;
			while (retain(client, "r/" + kept, 1, LARGE) == 0) {
				kept++;
				assertThat(kept).isLessThan(30);
			}
			assertThat(kept).isEqualTo(14);
			assertThat(retain(client, "other", 1, LARGE)).isEqualTo(QUOTA_EXCEEDED);
			assertThat(retain(client, "other", 2, LARGE)).isEqualTo(QUOTA_EXCEEDED);
			long refused = this.budget.refused(MemoryUse.RETAINED);
			client.send(retained(client, "other", 0, LARGE));
			client.ping();
			assertThat(this.budget.refused(MemoryUse.RETAINED)).isEqualTo(refused + 1);
			assertThat(retain(client, "r/0", 1, LARGE)).isZero();
			assertThat(retain(client, "r/0", 1, "")).isZero();
			assertThat(retain(client, "other", 1, LARGE)).isZero();
			try (RawMqttConnection subscriber = client("m10-subscriber")) {
				subscriber.send(subscriber.subscribe("other", 1));
				assertThat(List.of(subscriber.receive(), subscriber.receive())).anyMatch(RawPublish.class::isInstance);
			}
		}
	}

	@Test
	void closesOlderClientConnectionAboveLimit() throws Exception {
		try (RawMqttConnection client = client("m10");
				RawMqttConnection older = new RawMqttConnection(this.broker.port())) {
			older.connect(olderClient("m10-older", true));
			fill(client);
			older.send(retained(older, "other", 0, LARGE));
			older.ping();
			older.send(retained(older, "other", 1, LARGE));
			older.assertClosed();
		}
	}

	private void fill(RawMqttConnection client) throws IOException {
		int kept = 0;
		while (retain(client, "r/" + kept, 1, LARGE) == 0) {
			assertThat(++kept).isLessThan(30);
		}
	}

	@Test
	void retainedMessagesLeaveMemoryForOtherClients() throws Exception {
		for (int i = 0; i < 8; i++) {
			try (RawMqttConnection client = client("m11-" + i)) {
				for (int j = 0; j < 10; j++) {
					client.send(retained(client, "r/" + i + '/' + j, 0, "x".repeat(20_000)));
				}
				client.ping();
			}
		}
		await(() -> this.budget.used(MemoryUse.RETAINED) > BUDGET / 4, "the memory of retained messages");
		assertThat(this.budget.used(MemoryUse.RETAINED)).isLessThanOrEqualTo(BUDGET / 2 * 3 / 4);
		try (RawMqttConnection client = client("m11")) {
			client.subscribed("a", 1);
			assertThat(retain(client, "a", 1, LARGE)).isEqualTo(QUOTA_EXCEEDED);
		}
	}

	@Test
	void acceptsClientsWhileRetainedMessagesUseMemory() throws Exception {
		try (RawMqttConnection session = new RawMqttConnection(this.broker.port());
				RawMqttConnection sessionAgain = new RawMqttConnection(this.broker.port());
				RawMqttConnection will = connectWithWill("m16-will", "wills/m16");
				RawMqttConnection publisher = client("m16-publisher")) {
			session.connect("m16", LASTING);
			will.ping();
			fill(publisher);
			for (int length = LARGE.length(); length > 0; length /= 2) {
				retain(publisher, "half/" + length, 1, "x".repeat(length));
			}
			assertThat(retain(publisher, "small", 1, "x".repeat(100))).isEqualTo(QUOTA_EXCEEDED);
			try (RawMqttConnection clean = client("m16-clean");
					RawMqttConnection willAgain = connectWithWill("m16-will", "wills/m16")) {
				clean.subscribed("a", 1);
				assertThat(sessionAgain.connect("m16", LASTING).reason()).isEqualTo(0);
				willAgain.ping();
			}
		}
	}

	@Test
	void countsRetainedMessageSize() throws Exception {
		try (RawMqttConnection client = client("m12")) {
			assertThat(retain(client, "r", 1, "x".repeat(90_000))).isZero();
			await(() -> this.budget.used(MemoryUse.RETAINED) > 0, "the memory of the message");
			long held = this.budget.used(MemoryUse.RETAINED);
			assertThat(held).isBetween(90_000L, 91_000L);
			assertThat(retain(client, "r", 1, "x".repeat(80_000))).isZero();
			await(() -> this.budget.used(MemoryUse.RETAINED) == held - 10_000, "the memory of the shorter message");
		}
	}

	@Test
	void releasesClearedRetainedMessage() throws Exception {
		try (RawMqttConnection client = client("m13")) {
			assertThat(retain(client, "r", 1, "x")).isZero();
			assertThat(retain(client, "r", 1, "")).isZero();
			assertThat(retain(client, "never/set", 1, "")).isZero();
		}
		awaitReleased();
	}

	@Test
	void countsRetainedWill() throws Exception {
		try (RawMqttConnection watcher = client("m14-watcher");
				RawMqttConnection client = connectWithWill("m14", "wills/m14")) {
			await(() -> this.budget.used(MemoryUse.SESSION) > 0, "the memory of the will");
			watcher.subscribed("wills/+", 1);
			client.close();
			assertThat(watcher.receivePublish().topic).isEqualTo("wills/m14");
		}
		await(() -> this.budget.used(MemoryUse.RETAINED) > 0, "the memory of the retained will");
		await(() -> this.budget.used() == this.budget.used(MemoryUse.RETAINED), "the end of all sessions");
		try (RawMqttConnection client = client("m14-cleaner")) {
			assertThat(retain(client, "wills/m14", 1, "")).isZero();
		}
		awaitReleased();
	}

	private RawMqttConnection connectWithWill(String clientId, String topic) throws IOException {
		RawMqttConnection client = new RawMqttConnection(this.broker.port());
		client.connect(RawConnect.of(clientId).will(RawPublish.of((will) -> {
			will.topic = topic;
			will.payload = new byte[] { 1 };
			will.retain = true;
		})));
		return client;
	}

}
