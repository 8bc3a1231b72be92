package io.statestore.client.mqtt.link;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class TopicFilterTests {

	@ParameterizedTest
	@CsvSource({ "a/b, a/b", "a/+, a/b", "a/+, a/", "+/+, /b", "+, a", "#, a/b/c", "a/#, a/b/c", "a/#, a",
			"a/+/c, a/b/c", "$share/g/a/+, a/b", "$share/g/#, a/b", "$SYS/#, $SYS/x", "a//b, a//b", "+/b/#, /b" })
	void matches(String filter, String topic) {
		assertThat(new TopicFilter(filter).matches(topic)).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "a/b, a/c", "a/b, a", "a, a/b", "a/+, a", "a/+, a/b/c", "+, /a", "#, $SYS/x", "+/x, $SYS/x", "a/#, ab",
			"a/+/c, a/b/d", "$share/g/a, $share/g/a", "a/b/#, a" })
	void doesNotMatch(String filter, String topic) {
		assertThat(new TopicFilter(filter).matches(topic)).isFalse();
	}

}
