package io.statestore.sample.room;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import io.statestore.sample.room.LineHistory.Change;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Text of the store on the page: any characters, any length. */
class ReadableTextTests {

	@ParameterizedTest
	@ValueSource(strings = { "", "a", "line/press-1", "\u0000\u001f\u007f", "<b>\"'&", "ä/🏭/日本", "#.:[ ]*+", "\u202e",
			"\r\n\t" })
	void keyIsTheSameAfterRequest(String key) {
		assertThat(ReadableText.decode(ReadableText.encode(key))).isEqualTo(key);
		assertThat(ReadableText.encode(key)).matches("[A-Za-z0-9_-]*");
		assertThat(ReadableText.id("k", key)).matches("k[0-9a-f]{24}").isNotEqualTo(ReadableText.id("k", key + " "));
		assertThat(ReadableText.key(key)).isNotEmpty().doesNotContain("\r", "\n", "\u0000", "\u202e");
	}

	@Test
	void showsInvisibleCharactersAsNumbers() {
		assertThat(ReadableText.key("line-leader\u0000successor")).isEqualTo("line-leader (successor lock)");
		assertThat(ReadableText.key("a\u0000\u202eb\nä🏭")).isEqualTo("a\\u0000\\u202eb\\u000aä🏭");
		assertThat(ReadableText.value("\ud83c")).isEqualTo("\\ud83c");
	}

	@Test
	void cutsLongTextBetweenCharacters() {
		assertThat(ReadableText.value("🏭".repeat(1000))).isEqualTo("🏭".repeat(200) + "…");
		assertThat(ReadableText.value("x".repeat(200))).isEqualTo("x".repeat(200));
	}

	@Test
	void shortensVersions() {
		assertThat(ReadableText.version("001795428000123:00004:broker")).isEqualTo("1795428000123:4");
		assertThat(ReadableText.version("no version")).isEqualTo("no version");
	}

	@Test
	void refusesMalformedParameters() {
		assertThatIllegalArgumentException().isThrownBy(() -> ReadableText.decode("%"));
	}

	@Test
	void chartStaysInsideItsPicture() {
		for (List<Double> readings : List.of(List.of(1.0), List.of(5.0, 5.0), List.of(-1e6, 1e6, 0.0),
				IntStream.range(0, 60).mapToObj((i) -> (double) i).toList())) {
			Chart chart = Chart.of("press-1", readings);
			for (String point : chart.line().split(" ")) {
				String[] position = point.split(",");
				assertThat(Double.parseDouble(position[0])).isBetween(0.0, 240.0);
				assertThat(Double.parseDouble(position[1])).isBetween(0.0, 64.0);
			}
		}
		assertThat(Chart.of("press-1", List.of()).line()).isEmpty();
	}

	@Test
	void timelineHasAtMostSixLanes() {
		List<Change> changes = IntStream.range(0, 20)
			.mapToObj((i) -> new Change("value", "author " + i, Instant.ofEpochSecond(i), i + ":0:node"))
			.toList();
		Timeline timeline = Timeline.of(changes);
		assertThat(timeline.lanes()).extracting(Timeline.Lane::author).hasSize(6).endsWith("others");
		assertThat(timeline.dots()).hasSize(20).allMatch((dot) -> dot.lane() < 6);
		assertThat(timeline.latest().get(0).author()).isEqualTo("author 19");
		assertThat(Timeline.of(List.of()).dots()).isEmpty();
		assertThat(Timeline.of(changes.subList(0, 1)).last()).isGreaterThan(0);
	}

}
