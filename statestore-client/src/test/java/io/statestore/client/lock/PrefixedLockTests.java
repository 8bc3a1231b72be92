package io.statestore.client.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Locks of a template with a key prefix and a default expiry, on a real socket. */
@Timeout(120)
class PrefixedLockTests {

	private final LockFixture locks = new LockFixture();

	private final TestClient client = this.locks.client();

	private final TestClient other = this.locks.client();

	private final StateStoreTemplate template = this.client.template.withKeyPrefix("line-1/")
		.withDefaultExpiry(Duration.ofMillis(1));

	private final StateStoreLockRegistry prefixed = new StateStoreLockRegistry(this.template,
			LockOptions.DEFAULT.withKeyPrefix("locks/").withStopTimeout(Duration.ZERO));

	private final FencedLock prefixedLock = this.prefixed.obtain("press");

	@AfterEach
	void close() throws Exception {
		this.locks.close();
	}

	@Test
	void lockHasBothPrefixes() {
		Key key = Key.of("line-1/locks/press");
		assertThat(this.prefixedLock.key()).isEqualTo(key);
		assertThat(this.prefixed.obtain(key)).isSameAs(this.prefixedLock);
		this.prefixedLock.lock();
		assertThat(this.other.template.get(key, String.class)).isPresent();
		assertThat(this.prefixedLock.holder()).isPresent();
		assertThat(this.locks.registry(this.other, LockFixture.OPTIONS).obtain(key).tryLock()).isFalse();
		assertThat(this.prefixed.forceRelease("press")).isPresent();
		assertThat(this.other.template.get(key, String.class)).isEmpty();
		assertThat(this.prefixedLock.isValid()).isFalse();
	}

	@Test
	void tenureWritesKeysWithTemplatePrefix() throws Exception {
		this.prefixedLock.execute((held) -> {
			held.operations().set("setpoint", "180");
			held.update("count", String.class, (value) -> Optional.of("1"));
			assertThat(this.template.getValue("setpoint", String.class)).contains("180");
			assertThatIllegalArgumentException().isThrownBy(() -> held.operations().set("locks/press", "mine"))
				.withMessageContaining("'line-1/locks/press'");
			return true;
		});
		// Neither the lock nor fenced writes have the default expiry.
		assertThat(this.other.template.getValue("line-1/setpoint", String.class)).contains("180");
		assertThat(this.other.template.getValue("line-1/count", String.class)).contains("1");
	}

	@Test
	void watchesHavePrefix() {
		CompletableFuture<Key> changed = new CompletableFuture<>();
		this.template.watch("setpoint", String.class, (change) -> changed.complete(change.key()));
		this.other.template.set("setpoint", "another key");
		this.other.template.set("line-1/setpoint", "180");
		assertThat(changed.join()).isEqualTo(Key.of("setpoint"));
		assertThat(this.client.watches.isActive(Key.of("line-1/setpoint"))).isTrue();
	}

}
