package io.statestore.client;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

import io.statestore.client.cache.StateStoreCacheManager;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.metadata.StateStoreMetadataStore;
import io.statestore.protocol.Command;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Default expiry of a template, in virtual time. */
class DefaultExpiryTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final FencingToken TOKEN = new FencingToken(new Version(1_700_000_000_000L, 0, "StateStore"));

	private final InMemoryStateStore store = new InMemoryStateStore();

	private final StateStoreTemplate template = new StateStoreTemplate(this.store).withDefaultExpiry(HOUR);

	private @Nullable Duration expiry(Consumer<SetSpec> spec) {
		this.template.set("key", "value", spec);
		return ((Command.Set) this.store.commands.get(this.store.commands.size() - 1)).expiry();
	}

	@Test
	void appliesToWritesWithoutExpiry() {
		this.template.set("key", "value");
		this.store.pass(HOUR.minusMillis(1));
		assertThat(this.template.get("key", String.class)).isPresent();
		this.store.pass(Duration.ofMillis(1));
		assertThat(this.template.get("key", String.class)).isEmpty();
	}

	@Test
	void appliesToConditionalAndViewedWrites() {
		assertThat(expiry(SetSpec::ifAbsent)).isEqualTo(HOUR);
		assertThat(expiry(SetSpec::ifAbsentOrEqual)).isEqualTo(HOUR);
		this.template.withKeyPrefix("p/").withTimeout(HOUR).async().set("key", "value").join();
		assertThat(((Command.Set) this.store.commands.get(2)).expiry()).isEqualTo(HOUR);
	}

	@Test
	void explicitExpiryWins() {
		assertThat(expiry((spec) -> spec.expire(Duration.ofDays(1)))).isEqualTo(Duration.ofDays(1));
		assertThat(expiry((spec) -> spec.ifAbsent().neverExpire())).isNull();
		assertThat(expiry(SetSpec::neverExpire)).isNull();
	}

	@Test
	void doesNotApplyToFencedWrites() {
		assertThat(expiry((spec) -> spec.fencedBy(TOKEN))).isNull();
		assertThat(expiry((spec) -> spec.fencedBy(TOKEN).expire(HOUR))).isEqualTo(HOUR);
		this.template.fencedBy(TOKEN).set("key", "value");
		assertThat(((Command.Set) this.store.commands.get(2)).expiry()).isNull();
	}

	@Test
	void appliesToCountersThatIncrementCreates() {
		this.template.set("earlier", "1", SetSpec::neverExpire);
		this.template.increment("earlier", 1);
		this.template.increment("count", 1);
		this.store.pass(HOUR);
		assertThat(this.template.getValue("earlier", String.class)).contains("2");
		assertThat(this.template.get("count", String.class)).isEmpty();
	}

	@Test
	void doesNotApplyToCachesAndMetadata() {
		Objects.requireNonNull(StateStoreCacheManager.builder(this.template).build().getCache("cache"))
			.put("key", "value");
		new StateStoreMetadataStore(this.template, new StateStoreLockRegistry(this.template)).putIfAbsent("key",
				"value");
		assertThat(this.store.commands).filteredOn(Command.Set.class::isInstance)
			.hasSize(2)
			.extracting((command) -> ((Command.Set) command).expiry())
			.containsOnlyNulls();
	}

	@Test
	void isRoundedUpAndCanBeRemoved() {
		StateStoreTemplate other = this.template.withDefaultExpiry(Duration.ofNanos(1_000_001));
		other.set("key", "value");
		other.withDefaultExpiry(null).set("key", "value");
		assertThat(this.store.commands).extracting((command) -> ((Command.Set) command).expiry())
			.containsExactly(Duration.ofMillis(2), null);
	}

	@Test
	void refusesInvalidExpiry() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.withDefaultExpiry(Duration.ZERO))
			.withMessageContaining("'defaultExpiry' must be 1 ms to 36500 days, but is PT0S");
		assertThatIllegalStateException()
			.isThrownBy(() -> this.template.set("key", "value", (spec) -> spec.expire(HOUR).neverExpire()))
			.withMessageContaining("neverExpire() exclude each other");
		assertThatIllegalStateException()
			.isThrownBy(() -> this.template.set("key", "value", (spec) -> spec.neverExpire().expire(HOUR)));
	}

}
