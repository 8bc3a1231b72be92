package io.statestore.client;

import java.time.Duration;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class StateStoreTemplateTests {

	private static final FencingToken OLDER = new FencingToken(new Version(1, 0, "StateStore"));

	private static final FencingToken NEWER = new FencingToken(new Version(2, 0, "StateStore"));

	private final InMemoryStateStore store = new InMemoryStateStore();

	private final StateStoreOperations template = new StateStoreTemplate(this.store);

	@Test
	void getsStoredValueWithSameVersion() {
		SetResult result = this.template.set("key", "value");
		assertThat(result.applied()).isTrue();
		assertThat(this.template.get("key", String.class))
			.contains(new Entry<>(Key.of("key"), "value", result.version()));
		assertThat(this.store.options).containsOnly(Options.DEFAULT);
	}

	@Test
	void getsNothingForAbsentKey() {
		assertThat(this.template.get("key", String.class)).isEmpty();
	}

	@Test
	void laterVersionsAreGreater() {
		Version first = this.template.set("key", "one").version();
		assertThat(this.template.set("key", "two").version()).isGreaterThan(first);
	}

	@Test
	void acceptsKeysWithAnyBytes() {
		Key key = Key.of(new byte[] { 0, '\r', '\n', (byte) 0xFF });
		this.template.set(key, "value");
		assertThat(this.template.get(key, String.class)).map(Entry::key).contains(key);
	}

	@Test
	void setsIfAbsent() {
		Version version = this.template.set("key", "first", SetSpec::ifAbsent).version();
		assertThat(this.template.set("key", "first", (spec) -> spec.ifAbsent()))
			.isEqualTo(new SetResult(false, version));
		assertThat(this.store.stored("key")).isEqualTo(Bytes.of("first"));
	}

	@Test
	void setsIfAbsentOrEqual() {
		Version version = this.template.set("key", "same", SetSpec::ifAbsentOrEqual).version();
		SetResult again = this.template.set("key", "same", SetSpec::ifAbsentOrEqual);
		assertThat(again.applied()).isTrue();
		assertThat(again.version()).isGreaterThan(version);
		assertThat(this.template.set("key", "other", SetSpec::ifAbsentOrEqual))
			.isEqualTo(new SetResult(false, again.version()));
	}

	@Test
	void valuesExpire() {
		this.template.set("key", "value", (spec) -> spec.expire(Duration.ofSeconds(1)));
		this.store.pass(Duration.ofMillis(999));
		assertThat(this.template.get("key", String.class)).isPresent();
		this.store.pass(Duration.ofMillis(1));
		assertThat(this.template.get("key", String.class)).isEmpty();
	}

	@Test
	void roundsExpiryUpToWholeMilliseconds() {
		this.template.set("key", "value", (spec) -> spec.expire(Duration.ofNanos(1_000_001)));
		assertThat(this.store.commands).last()
			.isEqualTo(new Command.Set(Bytes.of("key"), Bytes.of("value"), Command.Condition.ALWAYS,
					Duration.ofMillis(2)));
	}

	@Test
	void refusesExpiryOutOfRange() {
		for (Duration expiry : new Duration[] { Duration.ZERO, Duration.ofSeconds(-1), Duration.ofNanos(999_999),
				Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(Long.MIN_VALUE), Duration.ofDays(36_501) }) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> this.template.set("key", "value", (spec) -> spec.expire(expiry)))
				.withMessageContaining("'expire' must be at ")
				.withMessageContaining(expiry.toString())
				.withMessageContaining("Omit expire");
		}
		assertThat(this.store.commands).isEmpty();
	}

	@Test
	void refusesTwoConditions() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.template.set("key", "value", (spec) -> spec.ifAbsent().ifAbsentOrEqual()))
			.withMessageContaining("ifAbsent() and ifAbsentOrEqual() exclude each other");
		assertThatIllegalStateException()
			.isThrownBy(() -> this.template.set("key", "value", (spec) -> spec.ifAbsentOrEqual().ifAbsent()));
		assertThat(this.template.set("key", "value", (spec) -> spec.ifAbsent().ifAbsent()).applied()).isTrue();
	}

	@Test
	void setsPersistently() {
		this.template.set("key", "value", SetSpec::persistent);
		assertThat(this.store.options).containsExactly(new Options(null, true, null));
	}

	@Test
	void refusesStaleToken() {
		this.template.set("key", "value", (spec) -> spec.fencedBy(NEWER));
		assertThatExceptionOfType(StateStoreRefusedException.class)
			.isThrownBy(() -> this.template.set("key", "stale", (spec) -> spec.fencedBy(OLDER)))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(ErrorReason.FENCING_TOKEN_LOWER_VERSION));
		assertThatExceptionOfType(StateStoreRefusedException.class).isThrownBy(() -> this.template.delete("key"))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(ErrorReason.FENCING_TOKEN_REQUIRED));
		assertThat(this.store.stored("key")).isEqualTo(Bytes.of("value"));
	}

	@Test
	void fencedViewSendsTokenWithEveryWrite() {
		StateStoreOperations fenced = this.template.fencedBy(OLDER);
		fenced.set("key", "value");
		fenced.deleteIfEquals("key", "other");
		fenced.delete("key");
		fenced.async().delete("key").join();
		Options deletion = new Options(OLDER, false, null);
		assertThat(this.store.options).containsExactly(new Options(OLDER, true, null), deletion, deletion, deletion);
		this.template.set("key", "value");
		assertThat(this.store.options).last().isEqualTo(Options.DEFAULT);
	}

	@Test
	void specTokenOverridesViewToken() {
		this.template.fencedBy(OLDER).set("key", "value", (spec) -> spec.fencedBy(NEWER));
		assertThat(this.store.options).containsExactly(new Options(NEWER, true, null));
	}

	@Test
	void viewHasItsOwnTimeout() {
		StateStoreOperations hasty = this.template.withTimeout(Duration.ofNanos(1_500_000)).fencedBy(OLDER);
		hasty.set("key", "value");
		hasty.get("key", String.class);
		hasty.scan("*").iterator().hasNext();
		this.template.fencedBy(OLDER).withTimeout(Duration.ofMillis(2)).delete("key");
		this.template.async().fencedBy(OLDER).withTimeout(Duration.ofMillis(2)).delete("key").join();
		Duration rounded = Duration.ofMillis(2);
		Options fencedAndRounded = new Options(OLDER, false, rounded);
		assertThat(this.store.options).containsExactly(new Options(OLDER, true, rounded), fencedAndRounded,
				fencedAndRounded, fencedAndRounded, fencedAndRounded);
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.withTimeout(Duration.ZERO))
			.withMessageContaining("'timeout' must be at least 1 ms but was PT0S");
	}

	@Test
	void deletesKeyOnce() {
		Version version = this.template.set("key", "value").version();
		DeleteResult result = this.template.delete("key");
		assertThat(result.deleted()).isTrue();
		assertThat(result.outcome()).isEqualTo(Outcome.DELETED);
		assertThat(result.version()).isGreaterThan(version);
		assertThat(this.template.delete("key")).isEqualTo(new DeleteResult(Outcome.ABSENT, null));
		assertThat(this.template.delete("key").deleted()).isFalse();
	}

	@Test
	void deletesIfValueIsEqual() {
		Version version = this.template.set("key", "value").version();
		DeleteResult different = this.template.deleteIfEquals("key", "other");
		assertThat(different).isEqualTo(new DeleteResult(Outcome.DIFFERENT, version));
		assertThat(different.deleted()).isFalse();
		DeleteResult deleted = this.template.deleteIfEquals("key", "value");
		assertThat(deleted.deleted()).isTrue();
		assertThat(deleted.version()).isGreaterThan(version);
		assertThat(this.template.deleteIfEquals("key", "value")).isEqualTo(new DeleteResult(Outcome.ABSENT, null));
	}

	@Test
	@SuppressWarnings("NullAway")
	void refusesMissingArguments() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.set("key", null))
			.withMessageContaining("'value' must not be null")
			.withMessageContaining("delete");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.set((Key) null, "value"))
			.withMessage("'key' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.get((String) null, String.class))
			.withMessage("'key' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.get("key", (Class<String>) null))
			.withMessage("'type' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.delete((Key) null));
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.deleteIfEquals("key", null));
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.fencedBy(null));
		assertThatIllegalArgumentException().isThrownBy(() -> new StateStoreTemplate(null));
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.set("", "value"))
			.withMessageContaining("'key' must not be empty");
		assertThat(this.store.commands).isEmpty();
	}

	@Test
	void acceptsLongKey() {
		Key key = Key.of("k".repeat(40_000));
		this.template.set(key, "value");
		assertThat(this.template.get(key, String.class)).isPresent();
	}

}
