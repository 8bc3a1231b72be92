package io.statestore.broker.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.statestore.broker.server.RecordingConnection.Draft;
import io.statestore.broker.server.RecordingConnection.Received;
import io.statestore.broker.storage.Persist;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.UserProperties;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.statestore.broker.server.RestartTests.set;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys that survive if only requested keys are kept, regardless of how the server ends.
 */
@ParameterizedClass
@MethodSource("endings")
class RequestedKeysTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Bytes ONE = Bytes.of("1");

	private static final Bytes TWO = Bytes.of("2");

	private static final Reply OK = new Reply.Ok();

	private static final Reply MISSING = new Reply.Missing();

	@AutoClose
	private final RestartableStore store = new RestartableStore().with(Persist.REQUESTED);

	private final Consumer<RestartableStore> ending;

	private RecordingConnection client = this.store.connect("client");

	RequestedKeysTests(Consumer<RestartableStore> ending) {
		this.ending = ending;
	}

	static Stream<Arguments> endings() {
		return RestartTests.endings();
	}

	private void restart() {
		this.ending.accept(this.store);
		this.client = this.store.connect("client");
	}

	private Received send(Command command, boolean persistent, @Nullable Version token) {
		Draft draft = this.client.draft(command);
		List<UserProperty> properties = new ArrayList<>();
		properties.add(new UserProperty(UserProperties.TIMESTAMP, "1000:0:client"));
		if (persistent) {
			properties.add(new UserProperty(UserProperties.PERSISTENCE, "true"));
		}
		if (token != null) {
			properties.add(new UserProperty(UserProperties.FENCING_TOKEN, token.toString()));
		}
		draft.userProperties = properties;
		return RecordingConnection.received(this.client.exchange(draft));
	}

	private Version token(int counter) {
		return new Version(this.store.wallMillis.get(), counter, "holder");
	}

	private Reply get() {
		return this.client.call(new Command.Get(KEY)).reply();
	}

	@Test
	void keepsRequestedKeysOnly() {
		send(set(ONE, Condition.ALWAYS, null), true, null);
		Version last = send(new Command.Set(Bytes.of("volatile"), ONE), false, null).version();
		restart();
		assertThat(get()).isEqualTo(new Reply.Value(ONE));
		assertThat(this.client.call(new Command.Get(Bytes.of("volatile"))).reply()).isEqualTo(MISSING);
		assertThat(this.client.call(set(ONE, Condition.ALWAYS, null)).version()).isGreaterThan(last);
	}

	@Test
	void lastSetDecidesPersistence() {
		send(set(ONE, Condition.ALWAYS, null), true, null);
		send(set(TWO, Condition.ALWAYS, null), false, null);
		restart();
		assertThat(get()).isEqualTo(MISSING);
	}

	@Test
	void incrementKeepsPersistence() {
		send(set(ONE, Condition.ALWAYS, null), true, null);
		send(new Command.Increment(KEY, 1), false, null);
		restart();
		assertThat(get()).isEqualTo(new Reply.Value(TWO));
		send(new Command.Del(KEY), false, null);
		send(new Command.Increment(KEY, 1), false, null);
		restart();
		assertThat(get()).isEqualTo(MISSING);
		send(new Command.Increment(KEY, 1), true, null);
		restart();
		assertThat(get()).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void keepsRequestedLease() {
		Version granted = send(set(ONE, Condition.IF_ABSENT_OR_EQUAL, Duration.ofSeconds(10)), true, null).version();
		restart();
		this.store.pass(Duration.ofSeconds(9));
		Received refused = send(set(TWO, Condition.IF_ABSENT_OR_EQUAL, Duration.ofSeconds(10)), true, null);
		assertThat(refused.reply()).isEqualTo(Reply.Count.NOT_APPLIED);
		assertThat(refused.version()).isEqualTo(granted);
		assertThat(send(set(ONE, Condition.IF_ABSENT_OR_EQUAL, Duration.ofSeconds(10)), true, null).reply())
			.isEqualTo(OK);
	}

	@Test
	void unrequestedLeaseDoesNotSurviveRestart() {
		send(set(ONE, Condition.IF_ABSENT_OR_EQUAL, Duration.ofSeconds(10)), false, null);
		restart();
		assertThat(send(set(TWO, Condition.IF_ABSENT_OR_EQUAL, Duration.ofSeconds(10)), false, null).reply())
			.isEqualTo(OK);
	}

	@Test
	void refusesStaleTokenForRequestedKey() {
		send(set(ONE, Condition.ALWAYS, null), true, token(2));
		restart();
		assertThat(send(set(TWO, Condition.ALWAYS, null), true, token(1)).reply())
			.isEqualTo(new Reply.Error(ErrorReason.FENCING_TOKEN_LOWER_VERSION));
		assertThat(get()).isEqualTo(new Reply.Value(ONE));
	}

	@Test
	void forgetsTokenWithKey() {
		send(set(ONE, Condition.ALWAYS, null), false, token(2));
		restart();
		assertThat(send(set(TWO, Condition.ALWAYS, null), false, token(1)).reply()).isEqualTo(OK);
	}

}
