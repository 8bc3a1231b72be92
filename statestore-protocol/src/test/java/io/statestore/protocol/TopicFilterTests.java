package io.statestore.protocol;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Examples of MQTT 5 section 4.7, and edge cases. */
class TopicFilterTests {

	@ParameterizedTest
	@CsvSource({ "sport/tennis/player1/#, sport/tennis/player1", "sport/tennis/player1/#, sport/tennis/player1/ranking",
			"sport/tennis/player1/#, sport/tennis/player1/score/wimbledon", "sport/#, sport", "#, a/b", "#, /",
			"sport/tennis/+, sport/tennis/player1", "sport/+, sport/", "+/+, /finance", "/+, /finance", "+, finance",
			"a/+/c, a//c", "a/b, a/b", "$SYS/#, $SYS/x", "$SYS/monitor/+, $SYS/monitor/Clients", "+/#, a", "a/+/#, a/b",
			"+/b/#, a/b/c/d", "/, /", "a/, a/", "a/+, a/b", "a/+, a/", "+/+, /b", "+, a", "#, a/b/c", "a/#, a/b/c",
			"a/#, a", "a/+/c, a/b/c", "$share/g/a/+, a/b", "$share/g/#, a/b", "a//b, a//b", "+/b/#, /b" })
	void matchesTopic(String filter, String topic) {
		assertThat(TopicFilter.matches(filter, topic)).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "sport/tennis/+, sport/tennis/player1/ranking", "sport/+, sport", "+, /finance", "a/b, a/b/", "a/b, a",
			"a/b/, a/b", "a, A", "#, $SYS/x", "+/monitor/Clients, $SYS/monitor/Clients", "a/+/c, a/b/d", "a/+/c, a/c",
			"ab, a", "a, ab", "a/#, ab", "a/b/#, a/c", "a/b, a/c", "a, a/b", "a/+, a", "a/+, a/b/c", "+, /a",
			"+/x, $SYS/x", "$share/g/a, $share/g/a", "$share/g/#, $SYS/x", "a/b/#, a" })
	void doesNotMatchTopic(String filter, String topic) {
		assertThat(TopicFilter.matches(filter, topic)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "/", "+", "#", "a/+/b", "a/#", "+/+/#", "$SYS/#", "$share/g/a", "$share/g/+/#" })
	void acceptsValidFilter(String filter) {
		assertThat(TopicFilter.problem(filter)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a/#/b", "a#", "a/b+", "+a/b", "#/", "a\u0000b", "$share/g", "$share/g/", "$share//a",
			"$share/+/a" })
	void rejectsInvalidFilter(String filter) {
		assertThat(TopicFilter.isValid(filter)).isFalse();
	}

}
