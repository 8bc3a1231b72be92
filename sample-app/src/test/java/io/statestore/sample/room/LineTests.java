package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import io.statestore.sample.room.RoomProperties.Broker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("changes system properties")
class LineTests {

	private static final String READING = "{\"temperature\":%s,\"packsPerMinute\":60.0,\"packs\":7,\"pid\":1,\"leader\":false}";

	private final Line line = new Line(new RoomProperties(Path.of("target"), Broker.EMBEDDED, 1,
			List.of("press-1", "press-2", "press-own"), Duration.ofSeconds(12), Duration.ofSeconds(10)));

	private long millis = System.currentTimeMillis();

	@Test
	void showsReadings() {
		for (int i = 0; i < 100; i++) {
			set("line/press-3", READING.formatted(i));
		}
		assertThat(this.line.readings()).containsOnlyKeys("press-3");
		assertThat(this.line.readings().values()).singleElement()
			.satisfies((reading) -> assertThat(reading.path("temperature").asDouble()).isEqualTo(99));
		assertThat(this.line.temperatures("press-3")).hasSize(60).first().isEqualTo(40.0);
		assertThat(this.line.keys()).hasSize(1);
		assertThat(this.line.changes()).isEqualTo(100);
		change("line/press-3", null, false);
		assertThat(this.line.readings()).isEmpty();
		assertThat(this.line.keys()).isEmpty();
		assertThat(texts()).containsExactly("press-3 has joined the line.", "press-3 has left the line.");
	}

	@Test
	void logsOnlyPressesStartedElsewhere() {
		set("line/press-1", READING.formatted(1));
		change("line/press-1", null, false);
		assertThat(texts()).isEmpty();
	}

	@Test
	void countsOnlyStoreChanges() {
		change("line/setpoint", null, true);
		assertThat(this.line.changes()).isZero();
		set("key", "1");
		change("key", null, false);
		change("key", null, true);
		assertThat(this.line.changes()).isEqualTo(2);
	}

	@Test
	void measuresTakeover() {
		Version first = lead("press-1", 1);
		lead("press-1", 1);
		this.line.trouble(Line.FAILURE, "press-2", "was paused");
		long before = System.currentTimeMillis();
		this.line.trouble(Line.FAILURE, "press-1", "was killed");
		long after = System.currentTimeMillis();
		assertThat(this.line.leadership().leader()).isEqualTo("press-1");
		assertThat(this.line.leadership().token()).isEqualTo(first);
		change("line-leader", null, false);
		assertThat(this.line.leadership().leader()).isNull();
		this.millis = after + 5_000;
		Version second = lead("press-2", 1);
		assertThat(this.line.leadership().token()).isEqualTo(second);
		assertThat(this.line.leadership().takeover()).isBetween(Duration.ofMillis(4_999),
				Duration.ofMillis(5_000 + after - before));
		assertThat(texts()).first().isEqualTo("press-1 leads the line.");
		assertThat(texts()).last().asString().matches("press-2 leads the line, \\d+,\\d+ ms after press-1 was killed.");
	}

	@Test
	void forgetsTroubleThatLeaderSurvives() {
		lead("press-1", 1);
		this.line.trouble(Line.FAILURE, "press-1", "was paused");
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
		assertThat(this.line.leadership().token()).isEqualTo(Version.parse("18:0:StateStore"));
	}

	@Test
	void explainsNewRejectionsOnly() {
		change("line/rejected", rejection(4), true);
		assertThat(this.line.rejected().count()).isEqualTo(4);
		assertThat(texts()).isEmpty();
		this.line.trouble(Line.FAILURE, "press-1", "was paused");
		set("line/rejected", rejection(5));
		assertThat(texts()).containsExactly("press-1 was paused.",
				"The store refused the batch of press-1: its fencing token (17:3) is older than that of press-2 (18:0). "
						+ "press-1 was paused, and did not know that it had lost its lock.");
		assertThat(this.line.log()).extracting(Line.Event::kind).containsExactly(Line.REFUSAL, Line.FAILURE);
		assertThat(this.line.rejected().count()).isEqualTo(5);
		assertThat(this.line.rejected().explanation()).isEqualTo(texts().get(1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "was told to resign", "was disconnected" })
	void leaderKnowsItWasDeposed(String cause) {
		this.line.trouble(Line.FAILURE, "press-1", cause);
		set("line/rejected", rejection(1));
		assertThat(texts()).last().asString().endsWith(" press-1 " + cause + " before the batch was complete.");
	}

	@Test
	void forgetsTroubleFromEarlierProcess() {
		this.line.trouble(Line.FAILURE, "press-1", "was told to resign");
		this.line.forgetTrouble("press-1");
		set("line/rejected", rejection(1));
		assertThat(texts()).last().asString().endsWith(" press-1 had lost its lock before the batch was complete.");
	}

	@Test
	void forgetsPauseThatLeaderSurvives() {
		lead("press-1", 1);
		this.line.trouble(Line.FAILURE, "press-1", "was paused");
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
		this.line.trouble(Line.FAILURE, "press-1", "was paused");
		set("line/rejected", rejection(1));
		this.line.forgetTrouble("press-1");
		change("line/rejected", rejection(1), true);
		assertThat(texts()).containsExactly("press-1 was paused.", this.line.rejected().explanation());
		assertThat(texts().get(1)).endsWith("was paused, and did not know that it had lost its lock.");
	}

	@Test
	void namesInLogAreReadableAndShort() {
		lead("press-1\u001b[2J", 1);
		assertThat(texts()).containsExactly("press-1\\u001b[2J leads the line.");
		set("line/rejected", rejection(1).replace("press-1", "\\u001b[2J").replace("press-2", "y".repeat(100_000)));
		assertThat(texts()).hasSize(2).allMatch((text) -> text.length() < 500 && !text.contains("\u001b"));
		assertThat(this.line.rejected().newerPress()).hasSizeLessThan(100);
	}

	@ParameterizedTest
	@ValueSource(strings = { "line/press-", "line/press-\u001b[2J", "line/press-1\n", "line/press-ä",
			"line/press-12345678901234567890123456789012345678901" })
	void ignoresReadingsWithInvalidNames(String key) {
		set(key, READING.formatted(1));
		assertThat(this.line.readings()).isEmpty();
		assertThat(texts()).isEmpty();
		assertThat(this.line.keys()).containsOnlyKeys(key);
	}

	@Test
	void showsAtMostFiftyPresses() {
		for (int i = 10; i < 70; i++) {
			set("line/press-" + i, READING.formatted(i));
		}
		assertThat(this.line.readings()).hasSize(50).doesNotContainKey("press-60");
	}

	@Test
	void takeoverIsEnglishInEveryLanguage() {
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.GERMANY);
		try {
			lead("press-1", 1);
			this.line.trouble(Line.FAILURE, "press-1", "was killed");
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
			assertThat(this.line.keys()).containsKey(key);
			assertThat(this.line.readings()).hasSizeLessThanOrEqualTo(1);
		}
		assertThat(this.line.leadership().leader()).isNull();
		assertThat(this.line.rejected().count()).isZero();
	}

	@Test
	void keepsLatestLogEntries() {
		for (int i = 1; i <= 250; i++) {
			this.line.log(Line.CHANGE, "entry " + i);
		}
		assertThat(this.line.log()).hasSize(100);
		assertThat(this.line.log().get(0)).extracting(Line.Event::number, Line.Event::text)
			.containsExactly(250L, "entry 250");
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
		List<String> texts = new ArrayList<>(this.line.log().stream().map(Line.Event::text).toList());
		Collections.reverse(texts);
		return texts;
	}

}
