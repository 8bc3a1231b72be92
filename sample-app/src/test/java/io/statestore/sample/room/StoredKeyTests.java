package io.statestore.sample.room;

import java.nio.charset.StandardCharsets;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.util.UriUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** Text of the store on the page: any characters, any length. */
class StoredKeyTests {

	@ParameterizedTest
	@ValueSource(strings = { "", "a", "line/press-1", "\u0000\u001f\u007f", "<b>\"'&", "ä/🏭/日本", "#.:[ ]*+", "\u202e",
			"\r\n\t" })
	void keyIsTheSameAfterRequest(String key) {
		assertThat(UriUtils.decode(StoredKey.parameter(key), StandardCharsets.UTF_8)).isEqualTo(key);
		assertThat(StoredKey.parameter(key)).matches("[A-Za-z0-9_.~%-]*");
		assertThat(StoredKey.name(key)).isNotEmpty().doesNotContain("\r", "\n", "\u0000", "\u202e");
	}

	@Test
	void showsInvisibleCharactersAsNumbers() {
		assertThat(StoredKey.name("line-leader\u0000successor")).isEqualTo("line-leader (successor lock)");
		assertThat(StoredKey.name("a\u0000\u202eb\nä🏭")).isEqualTo("a\\u0000\\u202eb\\u000aä🏭");
		assertThat(StoredKey.name("\ud83c")).isEqualTo("\\ud83c");
	}

	@Test
	void cutsLongTextBetweenCharacters() {
		assertThat(StoredKey.text(Bytes.of("🏭".repeat(1000)))).isEqualTo("🏭".repeat(200) + "…");
		assertThat(StoredKey.text(Bytes.of("x".repeat(200)))).isEqualTo("x".repeat(200));
	}

	@Test
	void shortensVersions() {
		assertThat(StoredKey.shortVersion(Version.parse("001795428000123:00004:broker"))).isEqualTo("1795428000123:4");
		assertThat(StoredKey.shortVersion(null)).isEqualTo("–");
	}

}
