package io.statestore.protocol;

import java.nio.charset.StandardCharsets;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** MQTT topics (protocol sections 1 and 6). */
class TopicsTests {

	private static final String RESERVED = "clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8";

	private static final String PREFIX = RESERVED + "/636C69656E742D31/command/notify/";

	@Test
	void topicsMatchProtocol() {
		assertThat(Topics.REQUEST).isEqualTo("statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/command/invoke");
		assertThat(Topics.RESERVED_PREFIX).isEqualTo(RESERVED);
		assertThat(Topics.response("client-1"))
			.isEqualTo("clients/client-1/services/statestore/_any_/command/invoke/response");
		assertThat(Topics.notificationFilter("client-1")).isEqualTo(PREFIX + "+");
		assertThat(Topics.notification("client-1", Bytes.of("SOMEKEY"))).isEqualTo(PREFIX + "534F4D454B4559");
	}

	@Test
	void clientIdAndKeyAreUpperCaseHex() {
		Bytes key = Bytes.wrap(new byte[] { 0, (byte) 0xff, '/', '+' });
		assertThat(Topics.notification("\u00fcj\u20ac", key))
			.isEqualTo(RESERVED + "/C3BC6AE282AC/command/notify/00FF2F2B");
	}

	@Property
	void parsesKeyFromNotificationTopic(@ForAll String clientId, @ForAll("keys") Bytes key) {
		String topic = Topics.notification(clientId, key);
		assertThat(Topics.notifiedKey(clientId, topic)).isEqualTo(key);
		assertThat(topic).startsWith(Topics.notificationFilter(clientId).replace("+", ""));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", PREFIX, RESERVED, RESERVED + "/636C69656E742D31/command/notify", PREFIX + "4",
			PREFIX + "4G", PREFIX + "41/", PREFIX + "41/42", PREFIX + " 41", PREFIX + "+", PREFIX + "#",
			PREFIX + "\uff14\uff11", RESERVED + "/636c69656e742d31/command/notify/41",
			RESERVED + "/636C69656E742D32/command/notify/41", RESERVED + "/636C69656E742D3141/command/notify/41",
			RESERVED + "/client-1/command/notify/41", RESERVED + "//command/notify/41", "x" + PREFIX + "41",
			"statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/command/invoke" })
	void otherTopicHasNoKey(String topic) {
		assertThat(Topics.notifiedKey("client-1", topic)).isNull();
	}

	@Test
	void parsesKeyInEitherCase() {
		assertThat(Topics.notifiedKey("client-1", PREFIX + "4a4A")).isEqualTo(Bytes.of("JJ"));
	}

	@Test
	void longKeysAreNotWatchable() {
		assertThat(Topics.isWatchable("c", Bytes.wrap(new byte[Topics.MAX_WATCHABLE_KEY_LENGTH]))).isTrue();
		assertThat(Topics.isWatchable("c", Bytes.wrap(new byte[Topics.MAX_WATCHABLE_KEY_LENGTH + 1]))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 30, 31, 36, 128, 1_000, 32_000 })
	void longClientIdShortensWatchableKeys(int clientIdLength) {
		String clientId = "\u20ac".repeat(clientIdLength / 3) + "i".repeat(clientIdLength % 3);
		int fits = Math.min(Topics.MAX_WATCHABLE_KEY_LENGTH,
				(65_535 - (RESERVED + "//command/notify/").length()) / 2 - clientIdLength);
		Bytes key = Bytes.wrap(new byte[fits]);
		assertThat(Topics.isWatchable(clientId, key)).isTrue();
		assertThat(Topics.notification(clientId, key).getBytes(StandardCharsets.UTF_8))
			.hasSizeLessThanOrEqualTo(65_535);
		assertThat(Topics.isWatchable(clientId, Bytes.wrap(new byte[fits + 1]))).isFalse();
	}

	@Test
	void longestClientIdCanWatchNothing() {
		assertThat(Topics.isWatchable("i".repeat(65_535), Bytes.of("k"))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "clients/c/services/statestore/_any_/command/invoke/response", "r", "/", "a//b", " ",
			"clients/", "clients/statestore", "clients/statestore/v1/", "$SYS/x",
			"clients/statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE", "xclients/statestore/v1/" + "FA9AE35F",
			"statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/command/invoke/response",
			"statestore/v1/fa9ae35f-2f64-47cd-9bff-08e2b32a0fe8/command/invoke" })
	void allowsOtherResponseTopics(String topic) {
		assertThat(Topics.isResponseTopicAllowed(topic)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "#", "+", "a/#", "a/+/b", "a+b", "a#", "a\0b",
			"statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8/command/invoke", RESERVED, RESERVED + "/",
			RESERVED + "x", RESERVED + "0/a", PREFIX + "41" })
	void forbidsReservedResponseTopics(String topic) {
		assertThat(Topics.isResponseTopicAllowed(topic)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/", "/", "+/" })
	void limitsLevels(String level) {
		assertThat(Topics.isTooDeep(level.repeat(127))).isFalse();
		assertThat(Topics.isTooDeep(level.repeat(128))).isTrue();
		assertThat(Topics.isTooDeep("$share/" + level.repeat(127))).isTrue();
		assertThat(Topics.isFilterTooDeep("$share/a.group/" + level.repeat(127))).isFalse();
		assertThat(Topics.isFilterTooDeep("$share/a.group/" + level.repeat(128))).isTrue();
		assertThat(Topics.isResponseTopicAllowed("a" + "/".repeat(128))).isFalse();
	}

	@Test
	void onlySlashesSeparateLevels() {
		assertThat(Topics.isTooDeep("a.".repeat(1_000))).isFalse();
		assertThat(Topics.isFilterTooDeep("$share/a.group/" + ".".repeat(1_000))).isFalse();
		assertThat(Topics.isTooDeep(Topics.response(".".repeat(1_000)))).isFalse();
	}

	@Test
	void allowsResponseTopicForDeepestClientId() {
		assertThat(Topics.isTooDeep(Topics.response("/".repeat(120)))).isFalse();
		assertThatIllegalArgumentException().isThrownBy(() -> Topics.response("/".repeat(121)))
			.withMessageContaining("120 slashes");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a+b", "#", "a\0", "statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8" })
	void refusesInvalidClientId(String clientId) {
		assertThatIllegalArgumentException().isThrownBy(() -> Topics.response(clientId))
			.withMessageContaining("client id");
	}

	@Provide
	Arbitrary<Bytes> keys() {
		return Generators.keys();
	}

}
