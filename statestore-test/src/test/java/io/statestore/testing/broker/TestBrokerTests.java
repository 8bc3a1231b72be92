package io.statestore.testing.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;

import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.testing.assertj.ChangeRecorder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class TestBrokerTests {

	private static final TestBroker broker = TestBroker.builder().start();

	private static final TestClient client = broker.connect("test");

	private final StateStoreTemplate store = client.operations();

	@AfterAll
	static void stop() {
		client.close();
		broker.close();
	}

	@AfterEach
	void empty() {
		broker.reset();
		this.store.scan("*").forEach(this.store::delete);
		broker.keepContent();
	}

	@Test
	void resetDeletesKeysAndNotifiesWatchers() {
		ChangeRecorder<String> changes = new ChangeRecorder<>();
		this.store.set("press", "180");
		this.store.set("session", "a", (spec) -> spec.expire(Duration.ofMinutes(1)));
		try (var watch = this.store.watch("press", String.class, changes)) {
			assertThat(watch.isActive()).isTrue();
			broker.reset();
			assertThat(changes).receivesDeletion();
		}
		assertThat(this.store).hasOnlyKeys("*");
	}

	@Test
	void resetRestoresInitialContent() {
		this.store.set("kept", "1");
		this.store.set("changed", "1");
		this.store.set("deleted", "1");
		this.store.set("session", "1", (spec) -> spec.expire(Duration.ofMinutes(1)));
		broker.keepContent();
		var kept = this.store.get("kept", String.class).orElseThrow();
		this.store.set("changed", "2");
		this.store.delete("deleted");
		this.store.set("added", "2");
		broker.reset();
		assertThat(this.store).hasOnlyKeys("*", "changed", "deleted", "kept");
		assertThat(this.store).hasKey("changed").hasValue("1");
		assertThat(this.store.get("kept", String.class)).contains(kept);
	}

	@Test
	void resetRestoresCounterCreatedAfterExpiringKey() {
		this.store.set("count", "5", (spec) -> spec.expire(Duration.ofMinutes(1)));
		this.store.delete("count");
		this.store.increment("count", -1);
		broker.keepContent();
		this.store.increment("count", 7);
		broker.reset();
		assertThat(this.store).hasKey("count").hasValue("-1");
	}

	@Test
	void resetDeletesExpiringKeyThatWasIncremented() {
		this.store.set("count", "5", (spec) -> spec.expire(Duration.ofMinutes(1)));
		this.store.increment("count", 1);
		this.store.update("count", String.class, (value) -> value);
		broker.keepContent();
		broker.reset();
		assertThat(this.store).hasOnlyKeys("*");
	}

	@Test
	void resetsManyTimesWithinOneMinute() {
		for (int i = 0; i < 20; i++) {
			this.store.set("press", "180");
			broker.reset();
			assertThat(this.store).hasOnlyKeys("*");
		}
	}

	@Test
	void resetDeletesFencedKeyWithItsFence() throws InterruptedException {
		FencedLock lock = client.locks().obtain("lock");
		lock.execute((held) -> held.operations().set("press", "180"));
		broker.reset();
		this.store.set("press", "190");
		assertThat(this.store).hasKey("press").hasValue("190");
	}

	@Test
	void resetRestoresKeyFencedInTest() throws InterruptedException {
		this.store.set("press", "180");
		broker.keepContent();
		client.locks().obtain("lock").execute((held) -> held.operations().set("press", "190"));
		broker.reset();
		assertThat(this.store).hasKey("press").hasValue("180");
		this.store.set("press", "200");
	}

	@Test
	void resetKeepsHeldLocks() {
		FencedLock lock = client.locks().obtain("lock");
		lock.lock();
		try {
			broker.reset();
			assertThat(lock).isHeldHere().isHeldBy("test");
			lock.operations().set("press", "180");
		}
		finally {
			lock.unlock();
		}
		assertThat(lock).isFree();
	}

	@Test
	void resetKeepsFencingTokensUsable() throws InterruptedException {
		FencingToken first = client.locks().obtain("lock").execute((held) -> held.token());
		broker.reset();
		FencingToken second = client.locks().obtain("lock").execute((held) -> held.token());
		assertThat(second.version()).isGreaterThan(first.version());
	}

	@Test
	void resetEndsFaults() {
		broker.faults().requests().drop();
		broker.reset();
		this.store.set("press", "180");
	}

	@Test
	void portInUseIsReportedAtStart() throws IOException {
		try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
			assertThatIllegalStateException().isThrownBy(() -> TestBroker.builder().port(other.getLocalPort()).start())
				.withMessageContaining("localhost:" + other.getLocalPort());
		}
	}

	@Test
	void brokersInOneProcessAreSeparate() {
		try (TestBroker second = TestBroker.builder().start(); TestClient other = second.connect("test")) {
			other.operations().set("press", "180");
			assertThat(this.store).doesNotHaveKey("press");
		}
	}

}
