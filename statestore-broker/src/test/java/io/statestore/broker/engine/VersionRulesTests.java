package io.statestore.broker.engine;

import java.time.Duration;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.statestore.broker.engine.TestStore.OK;
import static io.statestore.broker.engine.TestStore.START;
import static io.statestore.broker.engine.TestStore.del;
import static io.statestore.broker.engine.TestStore.error;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static io.statestore.broker.engine.TestStore.versionOf;
import static org.assertj.core.api.Assertions.assertThat;

/** Protocol section 4, and the clocks of section 10. */
class VersionRulesTests {

	private static final Command SET = set("k", "v", Condition.ALWAYS, null);

	private static final Command GET = new Command.Get(Bytes.of("k"));

	private final TestStore store = new TestStore();

	@Test
	void theServersNodeIdIsStateStore() {
		assertThat(versionOf(this.store.set("k", "v")).nodeId()).isEqualTo("StateStore");
		assertThat(versionOf(this.store.get("k")).nodeId()).isEqualTo("StateStore");
	}

	@Test
	void theCounterReturnsToZeroWhenWallTimeAdvances() {
		String past = new Version(1, 0, "client").toString();
		this.store.apply(SET, past, null);
		assertThat(versionOf(this.store.apply(SET, past, null)).counter()).isPositive();
		this.store.pass(Duration.ofMillis(1));
		this.store.apply(new Command.Get(Bytes.of("k")), null, null);
		assertThat(versionOf(this.store.apply(del("k"), null, null)))
			.isEqualTo(new Version(START + 1, 0, "StateStore"));
	}

	@Test
	void versionsIncreaseOverTheWholeStoreAlsoWhenTheWallClockGoesBack() {
		this.store.observe("b");
		Version last = versionOf(this.store.set("a", "1"));
		this.store.wallMillis -= 3_600_000;
		last = assertGreater(this.store.set("b", "1", Duration.ofMillis(5)), last);
		last = assertGreater(this.store.set("a", "2"), last);
		last = assertGreater(this.store.apply(del("a")), last);
		this.store.takeChanges();
		this.store.nanos += 10_000_000;
		this.store.engine.expire(10);
		Version expired = this.store.takeChanges().get(0).version();
		assertThat(expired).isGreaterThan(last);
		assertGreater(this.store.set("a", "3"), expired);
	}

	private Version assertGreater(Answer answer, Version last) {
		assertThat(versionOf(answer)).isGreaterThan(last);
		return versionOf(answer);
	}

	@Test
	void aVersionIsGreaterThanTheTimestampAndTheFencingTokenOfTheRequest() {
		Version timestamp = this.store.ahead(20_000);
		Version token = this.store.ahead(40_000);
		Version version = versionOf(this.store.apply(SET, timestamp.toString(), token.toString()));
		assertThat(version).isGreaterThan(timestamp).isGreaterThan(token);
		Version later = this.store.ahead(60_000);
		assertThat(versionOf(this.store.apply(SET, later.toString(), token.toString()))).isGreaterThan(later);
	}

	@Test
	void aTimestampMoreThanAMinuteAheadIsRefusedBeforeAnyMerge() {
		assertThat(this.store.apply(SET, this.store.ahead(60_001).toString(), null).reply())
			.isEqualTo(error(ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE));
		assertThat(this.store.get("k").reply()).isEqualTo(TestStore.MISSING);
		assertThat(versionOf(this.store.set("k", "v")).wallMillis()).isEqualTo(START);
	}

	@Test
	void aTimestampOfAMinuteAheadIsAccepted() {
		assertThat(this.store.apply(SET, this.store.ahead(60_000).toString(), null).reply()).isEqualTo(OK);
	}

	@Test
	void anOldTimestampIsAccepted() {
		assertThat(this.store.apply(SET, "0:0:client", null).reply()).isEqualTo(OK);
	}

	@Test
	void paddedAndUnpaddedTimestampsAreAccepted() {
		assertThat(this.store.apply(SET, "001696374425000:00001:node", null).reply()).isEqualTo(OK);
		assertThat(this.store.apply(SET, "1696374425000:1:node", null).reply()).isEqualTo(OK);
	}

	@Test
	void setNeedsATimestamp() {
		assertThat(this.store.apply(SET, null, null).reply()).isEqualTo(error(ErrorReason.MISSING_TIMESTAMP));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "1:2", "1:2:", "-1:0:n", "1:-1:n", "1:2147483648:n", "1000000000000000:0:n",
			"1:2:n:m" })
	void aMalformedTimestampOfASetIsRefused(String timestamp) {
		assertThat(this.store.apply(SET, timestamp, null).reply()).isEqualTo(error(ErrorReason.MALFORMED_TIMESTAMP));
	}

	@Test
	void onOtherCommandsTheTimestampIsIgnoredUnlessItIsGood() {
		this.store.set("k", "v");
		for (String timestamp : new String[] { null, "", "x", this.store.ahead(60_001).toString(),
				START + ":2147483647:n" }) {
			assertThat(this.store.apply(GET, timestamp, null).reply()).isEqualTo(value("v"));
			assertThat(this.store.apply(del("other"), timestamp, null).reply()).isEqualTo(TestStore.NOTHING);
		}
		assertThat(versionOf(this.store.set("k", "v")).wallMillis()).isEqualTo(START);
	}

	@Test
	void onOtherCommandsAGoodTimestampIsMerged() {
		Version ahead = this.store.ahead(30_000);
		this.store.apply(GET, ahead.toString(), null);
		assertThat(versionOf(this.store.set("k", "v"))).isGreaterThan(ahead);
	}

	@Test
	void withBothClocksAheadTheErrorOfTheTimestampWins() {
		String ahead = this.store.ahead(60_001).toString();
		assertThat(this.store.apply(SET, ahead, ahead).reply())
			.isEqualTo(error(ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE));
	}

	@Test
	void aTimestampIsNotMergedWhenTheTokenIsRefused() {
		this.store.apply(SET, this.store.ahead(30_000).toString(), this.store.ahead(60_001).toString());
		assertThat(versionOf(this.store.set("k", "v")).wallMillis()).isEqualTo(START);
	}

	@Test
	void aCounterWithoutRoomIsAnErrorOfItsSenderAndOfNobodyElse() {
		assertThat(this.store.apply(SET, START + ":2147483647:n", null).reply())
			.isEqualTo(error(ErrorReason.MALFORMED_TIMESTAMP));
		this.store.apply(GET, START + ":2147483646:n", null);
		assertThat(this.store.set("k", "v").reply()).isEqualTo(OK);
	}

}
