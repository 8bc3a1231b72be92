package io.statestore.cli;

import java.util.Collections;

import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ShownValueTests {

	@ParameterizedTest
	@ValueSource(strings = { "{}", "[1, 2]", " {\"a\": [null]}\n" })
	void recognizesJson(String text) {
		assertThat(ShownValue.of(Bytes.of(text), null).format()).isEqualTo(ShownValue.Format.JSON);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "42", "\"a\"", "{", "{} {}", "{\"a\":1}}", "[1,", "grün\n", "{a:1}" })
	void showsOtherContentAsText(String text) {
		ShownValue value = ShownValue.of(Bytes.of(text), null);
		assertThat(value.format()).isEqualTo(ShownValue.Format.TEXT);
		assertThat(value).hasToString(text);
	}

	@Test
	void showsBytesAndControlCharactersInHexadecimal() {
		assertThat(ShownValue.of(Bytes.ofHex("C328"), null)).hasToString("C328");
		assertThat(ShownValue.of(Bytes.of("a\u001B[31m"), null)).hasToString("611B5B33316D");
		assertThat(ShownValue.of(Bytes.of("a\u202Eb"), null).format()).isEqualTo(ShownValue.Format.HEX);
	}

	@Test
	void forcedTextContainsNoControlCharacters() {
		assertThat(ShownValue.of(Bytes.of("a\u001B[31m\n"), ShownValue.Format.TEXT)).hasToString("a\uFFFD[31m\n");
		assertThat(Texts.onOneLine(ShownValue.of(Bytes.of("a\n\tb"), null).toString())).isEqualTo("a\\n\\tb");
	}

	@Test
	void forcedJsonShowsOtherContentAsString() {
		ShownValue value = ShownValue.of(Bytes.of("{broken"), ShownValue.Format.JSON);
		assertThat(Json.object(Collections.singletonMap("value", value))).isEqualTo("{\"value\":\"{broken\"}");
	}

	@Test
	void keepsJsonNumbers() {
		String json = "{\"a\":12345678901234567890.00000001}";
		assertThat(Json.object(Collections.singletonMap("value", ShownValue.of(Bytes.of(json), null))))
			.isEqualTo("{\"value\":" + json + "}");
	}

}
