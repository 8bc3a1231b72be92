package io.statestore.client.lock;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;

import io.statestore.client.Entry;
import io.statestore.client.FencingToken;
import io.statestore.client.Key;
import io.statestore.client.StaleFencingTokenException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.watch.TestClient;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Updates of a key within a tenure, while an earlier holder still writes. */
@Timeout(120)
class TenureUpdateTests {

	private static final LockFixture locks = new LockFixture();

	private static final TestClient client = locks.client();

	/** Keeps the keys of each test apart. */
	private final StateStoreTemplate template = client.template.withKeyPrefix(UUID.randomUUID() + "/");

	private final FencedLock lock = new StateStoreLockRegistry(this.template).obtain("lock");

	/** Operations of an earlier holder, without a check of its tenure. */
	private StateStoreOperations stale = this.template;

	@BeforeEach
	void holdAndLose() {
		this.lock.lock();
		FencingToken token = this.lock.token();
		this.stale = this.template.fencedBy(token);
		this.lock.unlock();
	}

	@AfterAll
	static void close() throws Exception {
		locks.close();
	}

	private Optional<Integer> update(Function<Optional<Integer>, Optional<Integer>> change) throws Exception {
		return this.lock.execute((held) -> held.update("counter", Integer.class, change));
	}

	@Test
	void repeatsUpdateWhenValueHasChanged() throws Exception {
		this.stale.set("counter", 1);
		AtomicBoolean once = new AtomicBoolean();
		assertThat(update((value) -> {
			if (once.compareAndSet(false, true)) {
				this.stale.set("counter", 10);
			}
			return value.map((count) -> count + 1);
		})).contains(11);
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> this.stale.set("counter", 20));
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> this.stale.delete("counter"));
	}

	@Test
	void repeatsUpdateWhenKeyHasAppeared() throws Exception {
		AtomicBoolean once = new AtomicBoolean();
		assertThat(update((value) -> {
			if (once.compareAndSet(false, true)) {
				this.stale.set("counter", 10);
			}
			return Optional.of(value.orElse(0) + 1);
		})).contains(11);
		assertThat(update((value) -> Optional.empty())).isEmpty();
		assertThat(this.template.get("counter", Integer.class)).isEmpty();
	}

	@Test
	void repeatsDeletionWhenValueHasChanged() throws Exception {
		this.stale.set("counter", 1);
		List<Integer> read = new CopyOnWriteArrayList<>();
		update((value) -> {
			read.add(value.orElse(0));
			if (read.size() == 1) {
				this.stale.set("counter", 10);
			}
			return Optional.empty();
		});
		assertThat(read).containsExactly(1, 10);
		assertThat(this.template.get("counter", Integer.class)).isEmpty();
	}

	@Test
	void failedFunctionLeavesKeyUntouched() {
		Version version = this.template.set("counter", 1).version();
		assertThatIllegalStateException().isThrownBy(() -> update((value) -> {
			throw new IllegalStateException("invalid");
		}));
		assertThat(this.template.get("counter", Integer.class).orElseThrow().version()).isEqualTo(version);
	}

	@Test
	void claimsKeyOnceInTenure() throws Exception {
		this.stale.set("counter", 1);
		List<Integer> stored = new CopyOnWriteArrayList<>();
		this.template.watch("counter", Integer.class,
				(change) -> stored.add(Optional.ofNullable(change.value()).orElse(-1)));
		this.lock.execute((held) -> {
			for (int i = 0; i < 3; i++) {
				held.update("counter", Integer.class, (value) -> value.map((count) -> count + 1));
			}
			return held.update("counter", Integer.class, (value) -> Optional.empty());
		});
		await("the deletion").until(() -> stored.contains(-1));
		assertThat(stored).containsExactly(1, 2, 3, 4, -1);
	}

	@Test
	void keepsUpdatesFromAllThreadsInTenure() throws Exception {
		this.lock.execute((held) -> {
			List<CompletableFuture<Boolean>> threads = Stream.generate(() -> LockFixture.async(() -> {
				for (int i = 0; i < 25; i++) {
					held.update("counter", Integer.class, (value) -> Optional.of(value.orElse(0) + 1));
				}
				return true;
			})).limit(4).toList();
			threads.forEach(CompletableFuture::join);
			return true;
		});
		assertThat(this.template.get("counter", Integer.class).map(Entry::value)).contains(100);
	}

	@Test
	void functionUpdatesSameKey() throws Exception {
		AtomicBoolean once = new AtomicBoolean();
		Optional<Integer> updated = this.lock.execute((held) -> held.update("counter", Integer.class, (value) -> {
			if (once.compareAndSet(false, true)) {
				held.update("counter", Integer.class, (inner) -> Optional.of(10));
			}
			return Optional.of(value.orElse(0) + 1);
		}));
		assertThat(updated).contains(11);
	}

}
