package io.statestore.sample.room;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import io.statestore.sample.room.LogEntry.Kind;
import io.statestore.sample.room.Machine.State;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("changes system properties")
class LineTests {

	private static final String READING = "{\"temperature\":%s,\"packsPerMinute\":60.0,\"packs\":7,\"pid\":1,\"leader\":false}";

	private final Line line = new Line("broker", Duration.ofSeconds(5));

	private long millis = System.currentTimeMillis();

	@Test
	void showsReadings() {
		for (int i = 0; i < 100; i++) {
			set("line/press-3", READING.formatted(i));
		}
		assertThat(this.line.machines()).singleElement().satisfies((machine) -> {
			assertThat(machine.temperature()).isEqualTo(99);
			assertThat(machine.packs()).isEqualTo(7);
			assertThat(machine.state()).isEqualTo(State.ELSEWHERE);
			assertThat(machine.temperatures()).hasSize(60).first().isEqualTo(40.0);
		});
		assertThat(this.line.keys()).singleElement().extracting(StoredKey::changes).isEqualTo(100L);
		assertThat(this.line.changes()).isEqualTo(100);
		change("line/press-3", null, false);
		assertThat(this.line.machines()).isEmpty();
		assertThat(this.line.keys()).isEmpty();
		assertThat(texts()).containsExactly("press-3 has joined the line.", "press-3 has left the line.");
	}

	@Test
	void countsChangesOfStoreOnly() {
		change("line/setpoint", null, true);
		assertThat(this.line.changes()).isZero();
		set("key", "1");
		change("key", null, false);
		change("key", null, true);
		assertThat(this.line.changes()).isEqualTo(2);
	}

	@Test
	void startedPressIsSilentUntilItsFirstReading() {
		this.line.processChanged("press-1", 1, State.RUNNING, true);
		set("line/press-1", READING.formatted(1));
		this.line.processChanged("press-1", 1, State.ENDED, true);
		this.line.processChanged("press-1", 2, State.RUNNING, true);
		assertThat(this.line.machines()).extracting(Machine::state).containsExactly(State.SILENT);
		set("line/press-1", READING.replace("\"pid\":1", "\"pid\":2").formatted(1));
		assertThat(this.line.machines()).extracting(Machine::state).containsExactly(State.RUNNING);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"x\"", "{}", "[]", "1e30", "null" })
	void pressWhoseReadingHasInvalidProcessIsSilent(String pid) {
		this.line.processChanged("press-1", 1, State.RUNNING, true);
		set("line/press-1", READING.replace("\"pid\":1", "\"pid\":" + pid).formatted(1));
		assertThat(this.line.machines()).extracting(Machine::state).containsExactly(State.SILENT);
	}

	@Test
	void ownPressWithoutReadingIsSilent() {
		this.line.processChanged("press-1", 1, State.RUNNING, true);
		assertThat(this.line.machines()).extracting(Machine::state).containsExactly(State.SILENT);
		set("line/press-1", READING.formatted(1));
		assertThat(this.line.machines()).extracting(Machine::state).containsExactly(State.RUNNING);
		this.line.processChanged("press-1", 1, State.PAUSED, false);
		change("line/press-1", null, false);
		assertThat(this.line.machines()).extracting(Machine::state).containsExactly(State.PAUSED);
		assertThat(this.line.machines()).extracting(Machine::connected).containsExactly(false);
		assertThat(texts()).isEmpty();
	}

	@Test
	void measuresTakeover() {
		Version first = lead("press-1", 1);
		lead("press-1", 1);
		this.line.trouble("press-2", "was paused");
		long before = System.currentTimeMillis();
		this.line.trouble("press-1", "was killed");
		long after = System.currentTimeMillis();
		assertThat(this.line.leadership().leader()).isEqualTo("press-1");
		assertThat(this.line.leadership().token()).isEqualTo(first.toString());
		change("line-leader", null, false);
		assertThat(this.line.leadership().leader()).isNull();
		this.millis = after + 5_000;
		Version second = lead("press-2", 1);
		assertThat(this.line.leadership().token()).isEqualTo(second.toString());
		assertThat(this.line.leadership().takeover()).isBetween(Duration.ofMillis(4_999),
				Duration.ofMillis(5_000 + after - before));
		assertThat(texts()).first().isEqualTo("press-1 leads the line.");
		assertThat(texts()).last().asString().matches("press-2 leads the line, \\d+,\\d+ ms after press-1 was killed.");
	}

	@Test
	void forgetsTroubleThatLeaderSurvives() {
		lead("press-1", 1);
		this.line.trouble("press-1", "was paused");
		this.millis = System.currentTimeMillis() + 2_000;
		lead("press-1", 1);
		lead("press-2", 1);
		assertThat(this.line.leadership().takeover()).isNull();
		assertThat(texts()).last().isEqualTo("press-2 leads the line.");
	}

	@Test
	void learnsTokenFromBatchAfterInterruption() {
		change("line-leader", holder("press-1", 3), true);
		assertThat(this.line.leadership().token()).isNull();
		set("line/batch", "{\"leader\":\"press-2\",\"token\":\"17:0:StateStore\"}");
		assertThat(this.line.leadership().token()).isNull();
		set("line/batch", "{\"leader\":\"press-1\",\"token\":\"18:0:StateStore\"}");
		assertThat(this.line.leadership().token()).isEqualTo("18:0:StateStore");
	}

	@Test
	void explainsNewRejectionsOnly() {
		change("line/rejected", rejection(4), true);
		assertThat(this.line.rejected().count()).isEqualTo(4);
		assertThat(texts()).isEmpty();
		this.line.trouble("press-1", "was paused");
		set("line/rejected", rejection(5));
		assertThat(texts()).containsExactly(
				"The store refused the batch of press-1: its fencing token (17:3) is older than that of press-2 (18:0). "
						+ "press-1 was paused, and did not know that it had lost its lock.");
		assertThat(this.line.log()).extracting(LogEntry::kind).containsExactly(Kind.REJECTED);
		assertThat(this.line.rejected()).isEqualTo(new Rejected(5,
				new Rejected.Write("press-1", "17:3", "press-2", "18:0", Instant.parse("2026-11-23T10:15:00Z")),
				texts().get(0)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "was told to resign", "was disconnected" })
	void leaderKnowsThatItWasDeposed(String cause) {
		this.line.trouble("press-1", cause);
		set("line/rejected", rejection(1));
		assertThat(texts()).singleElement()
			.asString()
			.endsWith(" press-1 " + cause + " before the batch was complete.");
	}

	@Test
	void forgetsTroubleOfEarlierProcess() {
		this.line.trouble("press-1", "was told to resign");
		this.line.processStarted("press-1");
		set("line/rejected", rejection(1));
		assertThat(texts()).last().asString().endsWith(" press-1 had lost its lock before the batch was complete.");
	}

	@Test
	void forgetsPauseThatLeaderSurvives() {
		lead("press-1", 1);
		this.line.trouble("press-1", "was paused");
		lead("press-1", 1);
		set("line/rejected", rejection(1));
		assertThat(texts()).last().asString().contains("press-1 was paused, and did not know");
		this.millis += 60_000;
		lead("press-1", 1);
		set("line/rejected", rejection(2));
		assertThat(texts()).last().asString().endsWith(" press-1 had lost its lock before the batch was complete.");
	}

	@Test
	void keepsExplanationWhenRejectionIsReadAgain() {
		this.line.trouble("press-1", "was paused");
		set("line/rejected", rejection(1));
		this.line.processStarted("press-1");
		change("line/rejected", rejection(1), true);
		assertThat(texts()).containsExactly(this.line.rejected().explanation());
		assertThat(texts().get(0)).endsWith("was paused, and did not know that it had lost its lock.");
	}

	@Test
	void namesInLogAreReadableAndShort() {
		lead("press-1\u001b[2J", 1);
		assertThat(texts()).containsExactly("press-1\\u001b[2J leads the line.");
		set("line/rejected", rejection(1).replace("press-1", "\\u001b[2J").replace("press-2", "y".repeat(100_000)));
		assertThat(texts()).hasSize(2).allMatch((text) -> text.length() < 500 && !text.contains("\u001b"));
		assertThat(this.line.rejected().latest()).isNotNull()
			.satisfies((write) -> assertThat(write.newerPress()).hasSizeLessThan(100));
	}

	@ParameterizedTest
	@ValueSource(strings = { "line/press-", "line/press-\u001b[2J", "line/press-1\n", "line/press-ä",
			"line/press-12345678901234567890123456789012345678901" })
	void ignoresReadingsWithInvalidNames(String key) {
		set(key, READING.formatted(1));
		assertThat(this.line.machines()).isEmpty();
		assertThat(texts()).isEmpty();
		assertThat(this.line.keys()).extracting(StoredKey::key).containsExactly(key);
	}

	@Test
	void showsAtMostFiftyPressesThatWereStartedElsewhere() {
		for (int i = 1; i <= 60; i++) {
			set("line/press-" + i, READING.formatted(i));
		}
		assertThat(this.line.machines()).hasSize(50).extracting(Machine::name).doesNotContain("press-60");
		change("line/press-1", null, false);
		set("line/press-60", READING.formatted(1));
		assertThat(this.line.machines()).hasSize(50).extracting(Machine::name).contains("press-60");
		this.line.processChanged("press-own", 1, State.RUNNING, true);
		assertThat(this.line.machines()).extracting(Machine::name).contains("press-own");
	}

	@Test
	void takeoverIsEnglishInEveryLanguage() {
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.GERMANY);
		try {
			lead("press-1", 1);
			this.line.trouble("press-1", "was killed");
			this.millis += 600_000;
			lead("press-2", 1);
		}
		finally {
			Locale.setDefault(before);
		}
		assertThat(texts()).last().asString().containsPattern("line, \\d{3},\\d{3} ms after");
	}

	private static String rejection(int count) {
		return """
				{"count":%d,"press":"press-1","token":"17:3:StateStore","newerPress":"press-2","newerToken":"18:0:StateStore",
				"at":"2026-11-23T10:15:00Z"}"""
			.formatted(count);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{", "null", "[]", "7", "1e400", "-1e999999999", "123456789012345678901234567890",
			"{\"temperature\":1e400,\"packsPerMinute\":\"x\",\"packs\":1e30}", "{\"count\":-1e400}", "\"text\"",
			"{\"token\":7,\"leader\":[],\"count\":\"x\"}", "\u0000" })
	void acceptsAnyValues(String value) {
		for (String key : List.of("line/press-1", "line/batch", "line/rejected", "line/setpoint", "line-leader", "*")) {
			set(key, value);
			assertThat(this.line.keys()).extracting(StoredKey::key).contains(key);
			assertThat(MachineView.of(this.line.machines(), true)).hasSizeLessThanOrEqualTo(1);
		}
		assertThat(this.line.leadership().leader()).isNull();
		assertThat(this.line.rejected().count()).isZero();
	}

	@Test
	void shortensValues() {
		set("key", "€".repeat(100_000));
		assertThat(this.line.keys().get(0).value()).hasSizeLessThanOrEqualTo(200).startsWith("€€").endsWith("…");
	}

	@Test
	void keepsLatestLogEntries() {
		for (int i = 1; i <= 250; i++) {
			this.line.log(Kind.CHANGE, "entry " + i);
		}
		assertThat(this.line.log()).hasSize(200);
		assertThat(this.line.log().get(0)).extracting(LogEntry::number, LogEntry::text)
			.containsExactly(51L, "entry 51");
	}

	@Test
	void notifiesListeners() {
		AtomicInteger calls = new AtomicInteger();
		this.line.onChange(calls::incrementAndGet);
		set("key", "150.0");
		assertThat(calls.getAndSet(0)).isPositive();
		this.line.log(Kind.CHANGE, "text");
		assertThat(calls.getAndSet(0)).isPositive();
		this.line.brokerAvailable(false);
		assertThat(calls.getAndSet(0)).isPositive();
		assertThat(this.line.isBrokerAvailable()).isFalse();
		this.line.processChanged("press-1", 1, State.RUNNING, true);
		assertThat(calls).hasPositiveValue();
	}

	private Version lead(String press, int acquisition) {
		return set("line-leader", holder(press, acquisition));
	}

	private static String holder(String press, int acquisition) {
		return press + "/leader/123e4567-e89b-12d3-a456-426614174000/" + acquisition;
	}

	private Version set(String key, String value) {
		return change(key, value, false);
	}

	private Version change(String key, @Nullable String value, boolean resynchronized) {
		Version version = new Version(this.millis++, 0, "StateStore");
		this.line.changed(new KeyChange<>(Key.of(key), (value != null) ? Operation.SET : Operation.DELETE,
				(value != null) ? Bytes.of(value) : null, version, resynchronized));
		return version;
	}

	private List<String> texts() {
		return this.line.log().stream().map(LogEntry::text).toList();
	}

}
