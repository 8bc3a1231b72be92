package io.statestore.broker.engine;

import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.statestore.broker.engine.TestStore.NOT_APPLIED;
import static io.statestore.broker.engine.TestStore.OK;
import static io.statestore.broker.engine.TestStore.del;
import static io.statestore.broker.engine.TestStore.error;
import static io.statestore.broker.engine.TestStore.set;
import static io.statestore.broker.engine.TestStore.value;
import static io.statestore.broker.engine.TestStore.vdel;
import static org.assertj.core.api.Assertions.assertThat;

/** Fencing tokens (protocol section 5). */
class EngineFencingTests {

	private static final Command SET = set("k", "v", Condition.ALWAYS, null);

	private final TestStore store = new TestStore(new Quota(1, 100));

	private final Version token = new Version(1_000, 2, "a");

	@BeforeEach
	void fence() {
		assertThat(this.store.apply(SET, this.token).reply()).isEqualTo(OK);
	}

	@Test
	void acceptsOwnTokensAfterSystemClockWasSetBack() {
		Version granted = this.store.apply(SET, this.token).version();
		assertThat(granted).isNotNull();
		this.store.wallMillis -= 3_600_000;

		assertThat(this.store.apply(SET, granted).reply()).isEqualTo(OK);
		assertThat(this.store.apply(SET, granted.toString(), granted.toString()).reply()).isEqualTo(OK);
	}

	@Test
	void refusesTokenMoreThanOneMinuteAhead() {
		Version ahead = this.store.ahead(60_001);
		Reply expected = error(ErrorReason.FENCING_TOKEN_TOO_FAR_IN_FUTURE);
		assertThat(this.store.apply(SET, ahead).reply()).isEqualTo(expected);
		assertThat(this.store.apply(del("k"), ahead).reply()).isEqualTo(expected);
		assertThat(this.store.apply(vdel("k", "v"), ahead).reply()).isEqualTo(expected);
		assertThat(this.store.apply(SET, this.store.ahead(60_000)).reply()).isEqualTo(OK);
	}

	@Test
	void unappliedSetKeepsToken() {
		Version newer = new Version(1_001, 0, "a");
		for (Condition condition : new Condition[] { Condition.IF_ABSENT, Condition.IF_ABSENT_OR_EQUAL }) {
			assertThat(this.store.apply(set("k", "other", condition, null), newer).reply()).isEqualTo(NOT_APPLIED);
		}
		assertThat(this.store.apply(SET, this.token).reply()).isEqualTo(OK);
	}

	@Test
	void checksTokenBeforeCondition() {
		Version older = new Version(999, 2, "a");
		for (Condition condition : new Condition[] { Condition.IF_ABSENT, Condition.IF_ABSENT_OR_EQUAL }) {
			for (String value : new String[] { "v", "other" }) {
				assertThat(this.store.apply(set("k", value, condition, null), older).reply())
					.isEqualTo(error(ErrorReason.FENCING_TOKEN_LOWER_VERSION));
			}
		}
	}

	@Test
	void refusesMalformedTokenForAbsentKey() {
		String now = this.store.now().toString();
		Reply expected = error(ErrorReason.MALFORMED_TIMESTAMP);
		assertThat(this.store.apply(del("absent"), now, "x").reply()).isEqualTo(expected);
		assertThat(this.store.apply(vdel("absent", "v"), now, "x").reply()).isEqualTo(expected);
	}

	@Test
	void comparesTokenNodeIds() {
		Version greater = new Version(1_000, 2, "b");
		assertThat(this.store.apply(SET, greater).reply()).isEqualTo(OK);
		assertThat(this.store.apply(SET, this.token).reply()).isEqualTo(error(ErrorReason.FENCING_TOKEN_LOWER_VERSION));
		assertThat(this.store.apply(SET, greater).reply()).isEqualTo(OK);
	}

	@Test
	void refusesTimestampMoreThanOneMinuteAhead() {
		String fence = this.token.toString();
		assertThat(this.store.apply(SET, this.store.ahead(60_001).toString(), fence).reply())
			.isEqualTo(error(ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE));
		assertThat(this.store.apply(SET, this.store.ahead(60_000).toString(), fence).reply()).isEqualTo(OK);
	}

	@Test
	void ignoresTokenOnRead() {
		assertThat(this.store.apply(new Command.Get(((Command.Set) SET).key()), null, "x").reply())
			.isEqualTo(value("v"));
	}

	@Test
	void checksConditionBeforeQuota() {
		String large = "x".repeat(1_000);
		assertThat(this.store.apply(set("k", large, Condition.IF_ABSENT, null), this.token).reply())
			.isEqualTo(NOT_APPLIED);
		assertThat(this.store.apply(set("k", large, Condition.ALWAYS, null), this.token).reply())
			.isEqualTo(error(ErrorReason.QUOTA_EXCEEDED));
	}

}
