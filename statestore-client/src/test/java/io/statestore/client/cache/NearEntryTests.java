package io.statestore.client.cache;

import java.time.Duration;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch.State;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Entry whose notifications, replies, and time the test controls. */
class NearEntryTests {

	private static final Key KEY = Key.of("key");

	private long now = 1;

	private final NearExpiry expiry = new NearExpiry(Duration.ofSeconds(10), () -> this.now);

	private final NearEntry entry = new NearEntry(KEY, version(1), this.expiry, Bytes::toUtf8, () -> {
	});

	private static Version version(int counter) {
		return new Version(1, counter, "StateStore");
	}

	private void notified(int version) {
		this.entry.changed(new KeyChange<>(KEY, Operation.SET, Bytes.of("value " + version), version(version), false));
	}

	private void passSeconds(int seconds) {
		this.now += Duration.ofSeconds(seconds).toNanos();
	}

	@Test
	void isReadOnlyWhileWatchIsActive() {
		notified(1);
		assertThat(this.entry.read()).isNull();
		this.entry.entered(State.ACTIVE);
		assertThat(this.entry.read()).isEqualTo("value 1");
		this.entry.entered(State.INTERRUPTED);
		assertThat(this.entry.read()).isNull();
		this.entry.entered(State.REFUSED);
		assertThat(this.entry.read()).isNull();
	}

	@Test
	void valueOlderThanLocalWriteIsNotRead() {
		this.entry.entered(State.ACTIVE);
		notified(1);
		this.entry.written(version(3), this.expiry.deadline());
		assertThat(this.entry.read()).isNull();
		notified(2);
		assertThat(this.entry.read()).isNull();
		notified(3);
		assertThat(this.entry.read()).isEqualTo("value 3");
	}

	@Test
	void valueOlderThanFoundVersionIsNotRead() {
		this.entry.found(version(3));
		notified(2);
		this.entry.entered(State.ACTIVE);
		assertThat(this.entry.read()).isNull();
		this.entry.found(version(1));
		assertThat(this.entry.read()).isNull();
		notified(3);
		assertThat(this.entry.read()).isEqualTo("value 3");
	}

	@Test
	void olderStoreDataIsReadAfterInterruption() {
		this.entry.entered(State.ACTIVE);
		notified(5);
		this.entry.entered(State.INTERRUPTED);
		notified(0);
		this.entry.entered(State.ACTIVE);
		assertThat(this.entry.read()).isEqualTo("value 0");
	}

	@Test
	void expiryEndsValueWithoutNotification() {
		this.entry.entered(State.ACTIVE);
		notified(1);
		passSeconds(9);
		assertThat(this.entry.read()).isEqualTo("value 1");
		assertThat(this.entry.isOverdue()).isFalse();
		passSeconds(1);
		assertThat(this.entry.read()).isNull();
		assertThat(this.entry.isOverdue()).isTrue();
	}

	@Test
	void localWriteExpiryStartsBeforeSending() {
		this.entry.entered(State.ACTIVE);
		long early = this.expiry.deadline();
		passSeconds(4);
		notified(2);
		this.entry.written(version(2), early);
		passSeconds(6);
		assertThat(this.entry.read()).isNull();
	}

	@Test
	void localWriteExpiryAppliesToLaterNotification() {
		this.entry.entered(State.ACTIVE);
		long early = this.expiry.deadline();
		this.entry.written(version(2), early);
		passSeconds(4);
		notified(2);
		assertThat(this.entry.read()).isEqualTo("value 2");
		passSeconds(6);
		assertThat(this.entry.read()).isNull();
	}

	@Test
	void closedEntryIsNotRead() {
		this.entry.entered(State.ACTIVE);
		notified(1);
		this.entry.close();
		assertThat(this.entry.read()).isNull();
		notified(2);
		assertThat(this.entry.read()).isNull();
	}

}
