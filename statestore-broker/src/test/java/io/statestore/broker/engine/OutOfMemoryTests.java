package io.statestore.broker.engine;

import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.MISSING;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** State of the engine after a request has failed for lack of memory. */
class OutOfMemoryTests {

	private boolean exhausted;

	private final StateStoreEngine<Object> engine = new StateStoreEngine<>(() -> TestStore.START, this::nanoTime,
			Quota.UNLIMITED, (key, change, version, observers) -> {
			});

	/**
	 * Clock that simulates exhausted memory. Read before a key with an expiry is stored.
	 */
	private long nanoTime() {
		if (this.exhausted) {
			throw new OutOfMemoryError("test");
		}
		return 0;
	}

	@Test
	void failedSetAddsNoKey() {
		failToSet("new");
		assertThat(apply(new Command.Get(Bytes.of("k"))).reply()).isEqualTo(MISSING);
		assertThat(this.engine.keyCount()).isZero();
		assertThat(this.engine.byteCount()).isZero();
	}

	@Test
	void failedSetKeepsValueAndVersion() {
		Version version = apply(set("k", "old", Condition.ALWAYS, null)).version();
		failToSet("new");
		Answer answer = apply(new Command.Get(Bytes.of("k")));
		assertThat(answer.reply()).isEqualTo(value("old"));
		assertThat(answer.version()).isEqualTo(version);
		assertThat(this.engine.byteCount()).isEqualTo("k".length() + "old".length());
	}

	private void failToSet(String value) {
		this.exhausted = true;
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> apply(set("k", value, Condition.ALWAYS, Duration.ofSeconds(1))));
		this.exhausted = false;
	}

	private Answer apply(Command command) {
		return this.engine.apply(new Request<>(command, TestStore.START + ":0:client", null, "observer"));
	}

}
