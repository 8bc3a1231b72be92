package io.statestore.testing.assertj;

import java.time.Duration;
import java.util.List;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.protocol.Version;
import io.statestore.testing.junit.StateStoreExtension;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static io.statestore.testing.assertj.StateStoreAssertions.assertThat;

@ExtendWith(StateStoreExtension.class)
class StateStoreAssertionsTests {

	private static final Version V1 = new Version(1, 0, "store");

	private static final Version V2 = new Version(2, 0, "store");

	private final StateStoreTemplate store;

	StateStoreAssertionsTests(StateStoreTemplate store) {
		this.store = store;
	}

	@Test
	void describesContent() {
		Version version = this.store.set("press", "180").version();
		this.store.set("list", List.of(1, 2));
		assertThat(this.store).hasKey("press")
			.hasValue("180")
			.isNewerThan(V1)
			.hasValueSatisfying(String.class, (value) -> Assertions.assertThat(value).startsWith("1"));
		assertThat(this.store).doesNotHaveKey("absent")
			.hasOnlyKeys("p*", "press")
			.hasKey("list")
			.hasValue(List.of(1, 2));
		fails(() -> assertThat(this.store).hasKey("absent"), "'absent'", "[list, press]");
		fails(() -> assertThat(this.store).doesNotHaveKey("press"), "'press'", "180");
		fails(() -> assertThat(this.store).hasKey("press").hasValue("190"), "'press'", "190", "180");
		fails(() -> assertThat(this.store).hasKey("press").isNewerThan(version), version.toString());
		fails(() -> assertThat(this.store).hasOnlyKeys("*"), "'*'", "press");
	}

	@Test
	void describesLock(StateStoreLockRegistry locks) {
		FencedLock lock = locks.obtain("press");
		assertThat(lock).isFree();
		fails(() -> assertThat(lock).isHeld(), "'press'", "any process", "free");
		fails(() -> assertThat(lock).isHeldHere(), "'press'");
		lock.lock();
		try {
			assertThat(lock).isHeld().isHeldHere().isHeldBy("test");
			fails(() -> assertThat(lock).isFree(), "'press'", "'test/");
			fails(() -> assertThat(lock).isHeldBy("te"), "'te'", "'test/");
		}
		finally {
			lock.unlock();
		}
	}

	@Test
	void describesChange() {
		KeyChange<String> set = new KeyChange<>(Key.of("press"), KeyChange.Operation.SET, "180", V2, false);
		assertThat(set).hasKey("press").isSetTo("180").isNotResynchronized().isNewerThan(V1);
		fails(() -> assertThat(set).hasKey("other"), "'other'", "press");
		fails(() -> assertThat(set).isSetTo("190"), "190", "180");
		fails(() -> assertThat(set).isDeletion(), "deletion", "180");
		fails(() -> assertThat(set).isResynchronized(), "resynchronized");
		fails(() -> assertThat(set).isNewerThan(V2), V2.toString());
		KeyChange<String> deletion = new KeyChange<>(Key.of("press"), KeyChange.Operation.DELETE, null, V2, true);
		assertThat(deletion).isDeletion().isResynchronized();
		fails(() -> assertThat(deletion).isNotResynchronized(), "not resynchronized");
		fails(() -> assertThat(deletion).isSetTo("180"), "180", "DELETE");
	}

	@Test
	void waitsForChangesInOrder() {
		ChangeRecorder<String> changes = new ChangeRecorder<>();
		try (var watch = this.store.watch("press", String.class, changes)) {
			Assertions.assertThat(watch.isActive()).isTrue();
			this.store.set("press", "180");
			this.store.set("press", "190");
			this.store.delete("press");
			Assertions.assertThat(changes).receives("180").receives("190").receivesDeletion().hasNoFurtherChanges();
			fails(() -> assertThat(changes).within(Duration.ofMillis(10)).receives("200"), "the value 200", "PT0.01S");
			this.store.set("press", "210");
			fails(() -> assertThat(changes).receives("200"), "200", "210");
			this.store.set("press", "220");
			assertThat(changes).receivesChange((change) -> change.hasKey("press").isSetTo("220"));
		}
	}

	private static void fails(ThrowingCallable assertion, String... parts) {
		Assertions.assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(assertion)
			.satisfies((error) -> Assertions.assertThat(error.getMessage()).contains(parts));
	}

}
