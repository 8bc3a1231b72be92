package io.statestore.broker.gateway;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ResponseTopicsTests {

	@ParameterizedTest
	@ValueSource(strings = { "a", "clients/press-1/x", " / /", "\u00FC/\uD83D\uDE00", "a$b" })
	void ordinaryTopicsAreSafe(String topic) {
		assertThat(ResponseTopics.isSafe(topic)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "$SYS/a", "$share/a/b", "a\u0000b", "a\u0001", "\u007F", "\u009F", "\uFFFF", "\uFDD0",
			"\uD83D", "\uDE00\uD83D" })
	void topicsBrokerMayRefuseAreUnsafe(String topic) {
		assertThat(ResponseTopics.isSafe(topic)).isFalse();
	}

	@Test
	void refusesTopicWithManyLevels() {
		assertThat(ResponseTopics.isSafe("/".repeat(127))).isTrue();
		assertThat(ResponseTopics.isSafe("/".repeat(128))).isFalse();
	}

}
