package io.statestore.client.lock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.FencingToken;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.observation.TestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Reading, computing and writing under a lock, while an earlier holder still writes. */
@Timeout(120)
class TenureUpdateTests {

	private final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final TestClient client = new TestClient(this.broker.port()).start();

	private final FencedLock lock = new StateStoreLockRegistry(this.client.template).obtain("lock");

	/** Of a holder that lost the lock, and does not ask. */
	private StateStoreOperations stale = this.client.template;

	@BeforeEach
	void holdAndLose() {
		this.lock.lock();
		FencingToken token = this.lock.token();
		this.stale = this.client.template.fencedBy(token);
		this.lock.unlock();
	}

	@AfterEach
	void close() {
		this.client.close();
		this.broker.close();
	}

	private Optional<Integer> update(Function<Optional<Integer>, Optional<Integer>> change) throws Exception {
		return this.lock.execute((tenure) -> tenure.update("counter", Integer.class, change));
	}

	@Test
	void whatWasReadStaysUntilItIsWritten() throws Exception {
		this.stale.set("counter", 1);
		assertThat(update((value) -> {
			assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> this.stale.set("counter", 10));
			assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> this.stale.delete("counter"));
			return value.map((count) -> count + 1);
		})).contains(2);
	}

	@Test
	void whatAppearsMeanwhileIsReadToo() throws Exception {
		AtomicBoolean once = new AtomicBoolean();
		assertThat(update((value) -> {
			if (once.compareAndSet(false, true)) {
				this.stale.set("counter", 10);
			}
			return Optional.of(value.orElse(0) + 1);
		})).contains(11);
		assertThat(update((value) -> Optional.empty())).isEmpty();
		assertThat(this.client.template.get("counter", Integer.class)).isEmpty();
	}

	@Test
	void whatIsToBeDeletedStaysUntilItIsDeleted() throws Exception {
		this.stale.set("counter", 1);
		update((value) -> {
			assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> this.stale.set("counter", 10));
			return Optional.empty();
		});
		assertThat(this.client.template.get("counter", Integer.class)).isEmpty();
	}

	@Test
	void marksAKeyOnlyOnceInATenure() throws Exception {
		this.stale.set("counter", 1);
		List<Integer> stored = new CopyOnWriteArrayList<>();
		this.client.template.observe("counter", Integer.class,
				(change) -> stored.add(Optional.ofNullable(change.value()).orElse(-1)));
		this.lock.execute((tenure) -> {
			for (int i = 0; i < 3; i++) {
				tenure.update("counter", Integer.class, (value) -> value.map((count) -> count + 1));
			}
			return tenure.update("counter", Integer.class, (value) -> Optional.empty());
		});
		TestClient.await("the deletion", () -> stored.contains(-1));
		assertThat(stored).containsExactly(1, 2, 3, 4, -1);
	}

}
