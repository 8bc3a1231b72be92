package io.statestore.console;

import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShownValueTests {

	@Test
	void indentsJsonAndKeepsItsNumbers() {
		ShownValue value = ShownValue.of(Bytes.of("{\"a\":[9007199254740993,1.10]}"));
		assertThat(value.format()).isEqualTo("json");
		assertThat(value.text()).contains("\n").contains("9007199254740993").contains("1.10");
		assertThat(value.complete()).isTrue();
	}

	@Test
	void showsOtherTextUnchanged() {
		for (String text : new String[] { "", "180", "{not json", "{} {}", "line\nline", "[".repeat(5_000) }) {
			assertThat(ShownValue.of(Bytes.of(text))).isEqualTo(new ShownValue("text", text, text.length(), true));
		}
	}

	@Test
	void showsBytesInHexadecimal() {
		assertThat(ShownValue.of(Bytes.ofHex("00FF"))).isEqualTo(new ShownValue("hex", "00FF", 2, true));
		// This character reverses the text direction.
		assertThat(ShownValue.of(Bytes.of("a\u202eb")).format()).isEqualTo("hex");
		assertThat(ShownValue.preview(Bytes.ofHex("00FF"))).isEqualTo("0x00FF");
	}

	@Test
	void cutsLargeValuesBetweenCharacters() {
		ShownValue text = ShownValue.of(Bytes.of("€".repeat(50_000)));
		assertThat(text.format()).isEqualTo("text");
		assertThat(text.text()).matches("€+").hasSizeLessThan(30_000);
		assertThat(text.size()).isEqualTo(150_000);
		assertThat(text.complete()).isFalse();
		ShownValue bytes = ShownValue.of(Bytes.wrap(new byte[100_000]));
		assertThat(bytes.format()).isEqualTo("hex");
		assertThat(bytes.text().length()).isLessThan(70_000);
		assertThat(bytes.complete()).isFalse();
		assertThat(ShownValue.preview(Bytes.of("a\n".repeat(1_000)))).startsWith("a a a")
			.endsWith("…")
			.hasSizeLessThan(200);
	}

}
