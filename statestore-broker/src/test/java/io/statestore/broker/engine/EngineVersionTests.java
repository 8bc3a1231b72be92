package io.statestore.broker.engine;

import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.NOTHING;
import static io.statestore.broker.engine.TestStore.OK;
import static io.statestore.broker.engine.TestStore.START;
import static io.statestore.broker.engine.TestStore.del;
import static io.statestore.broker.engine.TestStore.error;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static io.statestore.broker.engine.TestStore.versionOf;
import static org.assertj.core.api.Assertions.assertThat;

/** Versions and timestamps (protocol sections 4 and 10). */
class EngineVersionTests {

	private static final Command SET = set("k", "v", Condition.ALWAYS, null);

	private static final Command GET = new Command.Get(Bytes.of("k"));

	private final TestStore store = new TestStore();

	@Test
	void counterReturnsToZeroWhenWallTimeAdvances() {
		String past = new Version(1, 0, "client").toString();
		this.store.apply(SET, past, null);
		assertThat(versionOf(this.store.apply(SET, past, null)).counter()).isPositive();
		this.store.pass(Duration.ofMillis(1));
		this.store.apply(new Command.Get(Bytes.of("k")), null, null);
		assertThat(versionOf(this.store.apply(del("k"), null, null)))
			.isEqualTo(new Version(START + 1, 0, "StateStore"));
	}

	@Test
	void versionsIncreaseAfterWallClockWasSetBack() {
		this.store.takeChanges();
		Version last = versionOf(this.store.set("a", "1"));
		this.store.wallMillis -= 3_600_000;
		last = assertGreater(this.store.set("b", "1", Duration.ofMillis(5)), last);
		last = assertGreater(this.store.set("a", "2"), last);
		last = assertGreater(this.store.apply(del("a")), last);
		this.store.takeChanges();
		this.store.nanos += 10_000_000;
		this.store.expire(10);
		Version expired = this.store.takeChanges().get(0).version();
		assertThat(expired).isGreaterThan(last);
		assertGreater(this.store.set("a", "3"), expired);
	}

	private Version assertGreater(Answer answer, Version last) {
		assertThat(versionOf(answer)).isGreaterThan(last);
		return versionOf(answer);
	}

	@Test
	void ignoresInvalidTimestampOnReadAndDelete() {
		this.store.set("k", "v");
		for (String timestamp : new String[] { null, "", "x", this.store.ahead(60_001).toString(),
				START + ":2147483647:n" }) {
			assertThat(this.store.apply(GET, timestamp, null).reply()).isEqualTo(value("v"));
			assertThat(this.store.apply(del("other"), timestamp, null).reply()).isEqualTo(TestStore.NOTHING);
		}
		assertThat(versionOf(this.store.set("k", "v")).wallMillis()).isEqualTo(START);
	}

	@Test
	void doesNotMergeTimestampIfTokenIsRefused() {
		this.store.apply(SET, this.store.ahead(30_000).toString(), this.store.ahead(60_001).toString());
		assertThat(versionOf(this.store.set("k", "v")).wallMillis()).isEqualTo(START);
	}

	@Test
	void refusesOnlySenderWithExhaustedCounter() {
		assertThat(this.store.apply(SET, START + ":2147483647:n", null).reply())
			.isEqualTo(error(ErrorReason.MALFORMED_TIMESTAMP));
		this.store.apply(GET, START + ":2147483646:n", null);
		assertThat(this.store.set("k", "v").reply()).isEqualTo(OK);
	}

}
