package io.statestore.broker.packet;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Examples of MQTT 5 section 4.7, and edge cases. */
class TopicFilterTests {

	@ParameterizedTest
	@CsvSource({ "sport/tennis/player1/#, sport/tennis/player1", "sport/tennis/player1/#, sport/tennis/player1/ranking",
			"sport/tennis/player1/#, sport/tennis/player1/score/wimbledon", "sport/#, sport", "#, a/b", "#, /",
			"sport/tennis/+, sport/tennis/player1", "sport/+, sport/", "+/+, /finance", "/+, /finance", "+, finance",
			"a/+/c, a//c", "a/b, a/b", "$SYS/#, $SYS/x", "$SYS/monitor/+, $SYS/monitor/Clients", "+/#, a", "a/+/#, a/b",
			"+/b/#, a/b/c/d", "/, /", "a/, a/" })
	void matches(String filter, String topic) {
		assertThat(TopicFilter.matches(filter, topic)).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "sport/tennis/+, sport/tennis/player1/ranking", "sport/+, sport", "+, /finance", "a/b, a/b/", "a/b, a",
			"a/b/, a/b", "a, A", "#, $SYS/x", "+/monitor/Clients, $SYS/monitor/Clients", "a/+/c, a/b/d", "a/+/c, a/c",
			"ab, a", "a, ab", "a/#, ab", "a/b/#, a/c" })
	void doesNotMatch(String filter, String topic) {
		assertThat(TopicFilter.matches(filter, topic)).isFalse();
	}

}
