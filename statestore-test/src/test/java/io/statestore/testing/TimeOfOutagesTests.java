package io.statestore.testing;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Controlled time while a client has no connection. */
@Timeout(30)
class TimeOfOutagesTests {

	private static final Key KEY = Key.of("key");

	private final TestTime time = new TestTime();

	private StateStoreBroker broker = StateStoreBroker.builder().time(this.time).start();

	private final MqttClient client = new MqttClient(this.broker.port(), this.time, "client");

	@AfterEach
	void close() {
		this.client.close();
		this.broker.close();
	}

	private void stopBroker() {
		this.broker.close();
		Awaitility.await().until(() -> !this.client.connection().isConnected());
	}

	@Test
	void lockIsLostWhenItsLeaseEnds() {
		List<Reason> losses = new CopyOnWriteArrayList<>();
		FencedLock lock = this.client.locks(Duration.ofSeconds(30)).obtain("lock");
		assertThat(lock.tryLock()).isTrue();
		lock.heldLock().onLost((loss) -> losses.add(loss.reason()));
		this.time.advance(Duration.ofMinutes(1));
		stopBroker();
		this.time.advance(Duration.ofSeconds(19));
		assertThat(lock.heldLock().isValid()).isTrue();
		this.time.advance(Duration.ofSeconds(11));
		assertThat(lock.heldLock().isValid()).isFalse();
		assertThat(losses).containsExactly(Reason.EXPIRED);
	}

	@Test
	void callFailsAtItsDeadline() {
		stopBroker();
		CompletableFuture<Optional<Entry<String>>> reply = this.client.operations().async().get(KEY, String.class);
		this.time.advance(Duration.ofMillis(9_900));
		assertThat(reply).isNotDone();
		this.time.advance(Duration.ofMillis(200));
		assertThat(reply).isCompletedExceptionally()
			.failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(StateStoreNotSentException.class);
	}

	@Test
	void waitingCallIsSentAfterReconnect() {
		int port = this.broker.port();
		stopBroker();
		CompletableFuture<Optional<Entry<String>>> reply = this.client.operations().async().get(KEY, String.class);
		this.time.advance(Duration.ofSeconds(2));
		this.broker = StateStoreBroker.builder().port(port).time(this.time).start();
		assertThat(this.client.connection().isConnected()).isFalse();
		this.time.advance(Duration.ofSeconds(7));
		assertThat(this.client.connection().isConnected()).isTrue();
		assertThat(reply).isCompletedWithValue(Optional.empty());
	}

}
