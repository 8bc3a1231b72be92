package io.statestore.testing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.SetResult;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.FencedLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(30)
class InMemoryStateStoreTests {

	private static final Key KEY = Key.of("key");

	private final InMemoryStateStore store = new InMemoryStateStore();

	private final StateStoreOperations operations = this.store.operations();

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void refusesSetWhoseConditionIsNotMet() {
		SetResult first = this.operations.set(KEY, "a", (spec) -> spec.ifAbsent());
		SetResult second = this.operations.set(KEY, "b", (spec) -> spec.ifAbsent());
		assertThat(first.applied()).isTrue();
		assertThat(second.applied()).isFalse();
		assertThat(second.version()).isEqualTo(first.version());
	}

	@Test
	void refusesStaleFencingToken() {
		FencingToken stale = token();
		FencingToken newer = token();
		this.operations.fencedBy(newer).set(KEY, "newer");
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.operations.fencedBy(stale).set(KEY, "stale"));
		assertThat(this.operations.get(KEY, String.class))
			.hasValueSatisfying((entry) -> assertThat(entry.value()).isEqualTo("newer"));
	}

	private FencingToken token() {
		FencedLock lock = this.store.lockRegistry().obtain("lock");
		lock.lock();
		FencingToken token = lock.tenure().token();
		lock.unlock();
		return token;
	}

	@Test
	void refusesKeyBeyondQuota() {
		try (InMemoryStateStore small = new InMemoryStateStore(
				StateStoreServerOptions.defaults().withQuota(new Quota(1, 1_000_000)))) {
			small.operations().set(KEY, "value");
			assertThatExceptionOfType(StateStoreRefusedException.class)
				.isThrownBy(() -> small.operations().set(Key.of("other"), "value"));
		}
	}

	@Test
	void notifiesOtherClients() {
		List<Operation> changes = new CopyOnWriteArrayList<>();
		try (InMemoryClient other = this.store.client("other")) {
			other.operations().watch(KEY, String.class, (change) -> changes.add(change.operation()));
			this.operations.set(KEY, "value");
			this.operations.delete(KEY);
			Awaitility.await()
				.untilAsserted(() -> assertThat(changes).containsExactly(Operation.SET, Operation.DELETE));
		}
	}

	@Test
	void expiresKeysByTimeOfTheSystem() {
		this.operations.set(KEY, "value", (spec) -> spec.expire(Duration.ofMillis(20)));
		Awaitility.await().until(() -> this.operations.get(KEY, String.class).isEmpty());
	}

}
