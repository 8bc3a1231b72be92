package io.statestore.sample.room;

import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Strings from the store on the page: any characters, any length. */
class TextsTests {

	@Test
	void showsInvisibleCharactersAsNumbers() {
		assertThat(Texts.name("a\u0000\u202eb\nä🏭")).isEqualTo("a\\u0000\\u202eb\\u000aä🏭");
		assertThat(Texts.name("\ud83c")).isEqualTo("\\ud83c");
		assertThat(Texts.name("")).isNotEmpty();
	}

	@Test
	void cutsLongTextBetweenCharacters() {
		assertThat(Texts.name("🏭".repeat(1000))).isEqualTo("🏭".repeat(80) + "…");
		assertThat(Texts.name("x".repeat(80))).isEqualTo("x".repeat(80));
	}

	@Test
	void shortensVersions() {
		assertThat(Texts.shortVersion(Version.parse("001795428000123:00004:broker"))).isEqualTo("1795428000123:4");
		assertThat(Texts.shortVersion(null)).isEqualTo("–");
	}

}
