package io.statestore.client.mqtt.link;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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

	@ParameterizedTest
	@ValueSource(strings = { "a", "/", "+", "#", "a/+/b", "a/#", "+/+/#", "$SYS/#", "$share/g/a", "$share/g/+/#" })
	void acceptsValidFilter(String filter) {
		assertThat(TopicFilter.valid(filter).text()).isEqualTo(filter);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "", "a/#/b", "a#", "a/b+", "+a/b", "#/", "a\u0000b", "$share/g", "$share/g/", "$share//a" })
	void rejectsInvalidFilter(String filter) {
		assertThatIllegalArgumentException().isThrownBy(() -> TopicFilter.valid(filter))
			.withMessageContaining("is not an MQTT topic filter");
	}

}
