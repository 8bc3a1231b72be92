package io.statestore.broker.engine;

import java.time.Duration;

import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.OK;
import static io.statestore.broker.engine.TestStore.del;
import static io.statestore.broker.engine.TestStore.error;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The store's quota (protocol section 3). */
class QuotaTests {

	private static final Reply EXCEEDED = error(ErrorReason.QUOTA_EXCEEDED);

	@Test
	void limitsKeyCount() {
		TestStore store = new TestStore(new Quota(2, 1_000));
		store.set("a", "1");
		store.set("b", "1");
		assertThat(store.set("c", "1").reply()).isEqualTo(EXCEEDED);
		assertThat(store.get("c").reply()).isEqualTo(TestStore.MISSING);
		assertThat(store.set("b", "22").reply()).isEqualTo(OK);
		store.apply(del("a"));
		assertThat(store.set("c", "1").reply()).isEqualTo(OK);
	}

	@Test
	void limitsKeyAndValueSize() {
		TestStore store = new TestStore(new Quota(100, 10));
		assertThat(store.set("key", "1234567").reply()).isEqualTo(OK);
		assertThat(store.set("l", "").reply()).isEqualTo(EXCEEDED);
		assertThat(store.set("key", "12345678").reply()).isEqualTo(EXCEEDED);
		assertThat(store.get("key").reply()).isEqualTo(value("1234567"));
		assertThat(store.machine.byteCount()).isEqualTo(10);
	}

	@Test
	void allowsReplacementOfEqualOrSmallerSize() {
		TestStore store = new TestStore(new Quota(1, 10));
		store.set("key", "1234567");
		assertThat(store.set("key", "7654321").reply()).isEqualTo(OK);
		assertThat(store.set("key", "1").reply()).isEqualTo(OK);
		assertThat(store.set("key", "123456").reply()).isEqualTo(OK);
	}

	@Test
	void countsFencingTokenNodeId() {
		TestStore store = new TestStore(new Quota(100, 1_000));
		Command set = set("key", "value", Condition.ALWAYS, null);
		Version token = new Version(1, 0, "n".repeat(993));
		assertThat(store.apply(set, token).reply()).isEqualTo(EXCEEDED);
		assertThat(store.apply(set, new Version(1, 0, "n".repeat(992))).reply()).isEqualTo(OK);
		assertThat(store.machine.byteCount()).isEqualTo(1_000);
		store.apply(set, new Version(2, 0, "n"));
		assertThat(store.machine.byteCount()).isEqualTo(9);
		store.apply(del("key"), new Version(2, 0, "n"));
		assertThat(store.machine.byteCount()).isZero();
	}

	@Test
	void expiredKeysDoNotCount() {
		TestStore store = new TestStore(new Quota(2, 1_000));
		store.set("a", "1", Duration.ofMillis(1));
		store.set("b", "1", Duration.ofMillis(1));
		store.pass(Duration.ofSeconds(1));
		assertThat(store.set("c", "1").reply()).isEqualTo(OK);
		assertThat(store.set("d", "1").reply()).isEqualTo(OK);
		assertThat(store.set("e", "1").reply()).isEqualTo(EXCEEDED);
	}

	@Test
	void subtractsDeletedAndExpiredKeys() {
		TestStore store = new TestStore();
		store.set("a", "12");
		store.set("b", "123", Duration.ofMillis(1));
		assertThat(store.machine.byteCount()).isEqualTo(7);
		assertThat(store.machine.keyCount()).isEqualTo(2);
		store.apply(del("a"));
		store.pass(Duration.ofSeconds(1));
		store.expire(10);
		assertThat(store.machine.byteCount()).isZero();
		assertThat(store.machine.keyCount()).isZero();
	}

	@Test
	void refusesQuotaBelowOne() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Quota(0, 1)).withMessageContaining("maxKeys");
		assertThatIllegalArgumentException().isThrownBy(() -> new Quota(1, 0)).withMessageContaining("maxBytes");
	}

}
